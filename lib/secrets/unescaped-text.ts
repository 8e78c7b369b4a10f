/** The named character references of all punctuation in ASCII (HTML), in lower case. PHP also writes `&fjlig;`. */
const NAMED: ReadonlyMap<string, string> = new Map(
  [
    "amp &  apos '  ast *  bsol \\  colon :  comma ,  commat @  diacriticalgrave `  dollar $  equals =  excl !",
    'fjlig fj  grave `  gt >  hat ^  lbrace {  lbrack [  lcub {  lowbar _  lpar (  lsqb [  lt <  midast *  num #',
    'percnt %  period .  plus +  quest ?  quot "  rbrace }  rbrack ]  rcub }  rpar )  rsqb ]  semi ;  sol /',
    'underbar _  verbar |  vert |  verticalline |',
  ].flatMap((pairs) => pairs.split('  ').map((pair) => pair.split(' ') as [name: string, text: string])),
);

const BACKSLASHED = /\\(?:u([\da-f]{4})|x([\da-f]{2})|([^a-z\d]))/gi;
const PERCENT = /%([\da-f]{2})/gi;
const REFERENCE = /&(?:#x0{0,6}([\da-f]{1,4})|#0{0,6}(\d{1,5})|([a-z]{2,16}));/gi;

/**
 * The text without NULs (UTF-16 has one next to each ASCII character), or else without its outermost escapes. No expression reads
 * a long run of one character again for each of its places: the work is linear.
 *
 * Backslashes go first. Text that is encoded in another way inside JSON must not lose the characters behind its backslashes.
 */
export function withoutLayer(text: string): string {
  const layers = [
    () => withoutNuls(text),
    () =>
      text.replace(
        BACKSLASHED,
        (_, u?: string, x?: string, quoted?: string) => quoted ?? characterOf(u ?? x, 16),
      ),
    () => text.replace(PERCENT, (_, hex: string) => characterOf(hex, 16)),
    () =>
      text.replace(REFERENCE, (escape: string, hex?: string, decimal?: string, name?: string) => {
        if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? escape;
        return hex === undefined ? characterOf(decimal, 10) : characterOf(hex, 16);
      }),
  ];
  for (const remove of layers) {
    const inner = remove();
    if (inner !== text) return inner;
  }
  return text;
}

/**
 * Most texts have none. In runs: one match for each NUL takes 20 times as long for a body of zeros. The runs have an end,
 * because V8 may keep a place to go back to for each character, see `TokenSearch`.
 */
export function withoutNuls(text: string): string {
  return text.includes('\0') ? text.replaceAll(/\0{1,1024}/g, '') : text;
}

function characterOf(digits = '', radix: number): string {
  return String.fromCharCode(Number.parseInt(digits, radix));
}

/** No server escapes a text so often. A text with more layers was made to cost time. */
export const MOST_LAYERS = 32;

export function unescaped(text: string): string {
  let inner = text;
  for (let layer = 0; layer < MOST_LAYERS; layer += 1) inner = withoutLayer(inner);
  return inner;
}
