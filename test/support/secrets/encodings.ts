/** How servers escape each character of a text, also letters. */
export const COMPLETE_ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  'percent for every character': (text) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&'),
  'backslash u for every character': (text) => text.replaceAll(/[^]/g, unicodeEscape),
  'html for every character': (text) =>
    text.replaceAll(/[^]/g, (character) => `&#${character.charCodeAt(0)};`),
};

/** The names that PHP gives punctuation in HTML 5. */
const NAMES: Readonly<Record<string, string>> = {
  '!': 'excl',
  '"': 'quot',
  '#': 'num',
  $: 'dollar',
  '%': 'percnt',
  '&': 'amp',
  "'": 'apos',
  '(': 'lpar',
  ')': 'rpar',
  '*': 'ast',
  '+': 'plus',
  ',': 'comma',
  '.': 'period',
  '/': 'sol',
  ':': 'colon',
  ';': 'semi',
  '<': 'lt',
  '=': 'equals',
  '>': 'gt',
  '?': 'quest',
  '@': 'commat',
  '[': 'lbrack',
  '\\': 'bsol',
  ']': 'rsqb',
  '^': 'Hat',
  _: 'lowbar',
  '`': 'grave',
  '{': 'lbrace',
  '|': 'vert',
  '}': 'rcub',
};

/** How servers escape punctuation before they repeat a text. */
export const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  percent: encodeURIComponent,
  'percent in lower case': (text) =>
    encodeURIComponent(text).replaceAll(/%../g, (escape) => escape.toLowerCase()),
  json: (text) => JSON.stringify(text).slice(1, -1),
  'json as PHP writes it': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll('/', String.raw`\/`),
  'json as .NET writes it': (text) => text.replaceAll(/[^A-Za-z0-9]/g, unicodeEscape),
  'backslash x': (text) => text.replaceAll(/[^A-Za-z0-9]/g, (character) => String.raw`\x${hexOf(character)}`),
  'a backslash before punctuation': (text) => text.replaceAll(/[^A-Za-z0-9]/g, String.raw`\$&`),
  html: (text) => text.replaceAll(/[&<>"'`+/=]/g, (character) => `&#${character.charCodeAt(0)};`),
  'html in hexadecimal digits': (text) =>
    text.replaceAll(/[^A-Za-z0-9]/g, (character) => `&#x00${hexOf(character)};`),
  'html by name': (text) =>
    text.replaceAll(/[!-/:-@[-`{-~]/g, (character) => {
      const name = NAMES[character];
      return name === undefined ? character : `&${name};`;
    }),
};

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, '0');
}

function unicodeEscape(character: string): string {
  return String.raw`\u00${hexOf(character).toUpperCase()}`;
}
