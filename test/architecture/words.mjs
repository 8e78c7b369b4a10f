/**
 * `npm run check:words` refuses words that this repository replaced by plainer words. It reads code, comments, names of tests
 * and files, and pages. It splits names: `someWeatherReport` contains `weather`. CONTRIBUTING explains the rules.
 *
 *   node test/architecture/words.mjs [file or folder …]
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Each refused word, and the words to write instead. */
export const WORDS = new Map(
  Object.entries({
    road: 'request, call',
    travel: 'send',
    travels: 'is sent',
    carrier: 'adapter, AdapterTraits',
    carriers: 'adapters, AdapterTraits',
    mend: 'fix',
    told: 'reported, logged, expiresIn; or name who learns what from where',
    tell: 'report, log, show, say',
    tells: 'reports, logs, shows, says',
    telling: 'reporting, logging',
    nobody: 'no caller, no code, no process',
    somebody: 'a caller, an application, a person',
    whoever: 'the server, the caller, any code that',
    everybody: 'every caller, every process',
    anybody: 'any caller, any process',
    quarrel: 'unusableEntries',
    quarrels: 'unusableEntries',
    strike: 'consecutiveFailures',
    strikes: 'consecutiveFailures',
    foresee: 'readEarly',
    foreseen: 'readEarly',
    forgiven: 'storeTokenExcused',
    laden: 'AxiosLikeError',
    entrails: 'UNSAFE_PROPERTIES',
    blank: 'createConfigCopy, empty',
    blanks: 'createConfigCopy, empty',
    swift: 'createConfigCopy, fast',
    heard: 'hasSubscribers, received',
    weather: 'fault',
    lane: 'ClientUnderTest',
    lanes: 'ClientUnderTest',
    grace: 'tolerance',
    judge: 'check, checker',
    judges: 'checks, checkers',
    judged: 'checked',
    ledger: 'RequestLog',
    witness: 'recorder',
    situation: 'scenario',
    situations: 'scenarios',
    world: 'TestEnvironment',
    wish: 'request, choice',
    worded: 'a name for what the text contains',
    entrust: 'give',
    theirs: "the caller's, the application's",
  }),
);

/** The same for several words in a row. A line break of a comment can separate them. */
export const PHRASES = new Map(
  Object.entries({
    'be it': 'even if, whether',
    'can be had': 'is available',
    'in vain': 'without success',
    'let go': 'unsubscribe, release, drop',
    'leaves word': 'stores a note',
    'of its own': 'its own (before the noun), private, separate',
    'of their own': 'their own (before the noun)',
    'of our own': 'our own (before the noun)',
    'of his own': 'name the owner',
    "of one's own": 'name the owner',
    'the very': 'the same, exactly this',
    // Outside of an application, npx looks for a package with this name in the registry (B37).
    'npx provider-auth': 'npx nestjs-provider-auth',
  }),
);

/** This file lists the words. The others contain texts of other authors. */
const SKIPPED =
  /^(test\/architecture\/words\.mjs|package-lock\.json|LICENSE|sample\/06-generated-clients\/src\/generated\/)/;
const READ = /\.(ts|mts|cts|mjs|cjs|js|md|ya?ml|py)$|^\.ci\/run$/;

const NAME = /[A-Za-z]+/g;
const CAPITAL_OR_END = /(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
const BREAK = String.raw`(?:\s|\*|//)+`;
const PHRASE = [...PHRASES.keys()].map((phrase) => ({
  phrase,
  found: new RegExp(`\\b${phrase.split(' ').join(BREAK)}\\b`, 'gi'),
}));

/** Public names that stay, because applications use them. */
const KEPT = /\bIssueWish\b/g;

/** In the changelog, code may show an old name. */
function readable(file, text) {
  const rest = text.replaceAll(KEPT, (name) => ' '.repeat(name.length));
  return file === 'CHANGELOG.md' ? rest.replaceAll(/`[^`\n]*`/g, (code) => ' '.repeat(code.length)) : rest;
}

function refusedNames(text) {
  return [...text.matchAll(NAME)].flatMap(({ 0: name, index }) => {
    const words = name.split(CAPITAL_OR_END).map((part) => part.toLowerCase());
    return words.filter((word) => WORDS.has(word)).map((word) => ({ index, word, instead: WORDS.get(word) }));
  });
}

/** The refused words of a file, each with its line. Words of the path have the line 0. */
export function refusedWords(file, content) {
  const text = readable(file, content);
  const lineOf = (index) => text.slice(0, index).split('\n').length;
  const found = [
    ...refusedNames(file).map(({ word, instead }) => ({ line: 0, word, instead })),
    ...refusedNames(text).map(({ index, word, instead }) => ({ line: lineOf(index), word, instead })),
  ];
  for (const { phrase, found: expression } of PHRASE) {
    for (const { index } of text.matchAll(expression)) {
      found.push({ line: lineOf(index), word: phrase, instead: PHRASES.get(phrase) });
    }
  }
  return found.toSorted((a, b) => a.line - b.line);
}

/** The pages for users: no sentence there is longer than this. */
export const MOST_WORDS = 30;
const FOR_USERS = /^(README|SECURITY)\.md$|^(docs|skills)\/.*\.md$/;

/** The sentences of a page with more words, each with its line. Code blocks do not count, and code in a sentence is one word. */
export function longSentences(file, content) {
  if (!FOR_USERS.test(file)) return [];
  const found = [];
  for (const { line, text } of paragraphsOf(content)) {
    for (const sentence of text.split(/(?<=[.!?]["')*\]]*) (?=\S)/)) {
      const words = sentence.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word));
      if (words.length > MOST_WORDS) found.push({ line, words: words.length, sentence });
    }
  }
  return found;
}

/** The paragraphs, items of lists and cells of tables. */
function paragraphsOf(content) {
  const paragraphs = [];
  let open;
  let isCode = false;
  for (const [index, line] of content.split('\n').entries()) {
    if (/^ *```/.test(line)) isCode = !isCode;
    const starts = /^ *([-*]|\d+\.) |^#+ |^\|/.test(line);
    if (isCode || starts || /^ *(```|<|$)/.test(line)) open = undefined;
    if (isCode || /^ *(```|<|$)/.test(line)) continue;
    if (line.startsWith('|')) {
      for (const cell of line.split(/(?<!\\)\|/)) paragraphs.push({ line: index + 1, text: plain(cell) });
    } else if (open) {
      open.text += ` ${plain(line)}`;
    } else {
      open = { line: index + 1, text: plain(line) };
      paragraphs.push(open);
    }
  }
  return paragraphs;
}

function plain(text) {
  return text
    .replaceAll(/`[^`]+`/g, 'code')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .trim();
}

function main(places) {
  const listed = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...places],
    { encoding: 'utf8' },
  );
  const files = listed
    .split('\n')
    .filter((file) => READ.test(file) && !SKIPPED.test(file) && existsSync(file));
  let count = 0;
  let long = 0;
  for (const file of files) {
    const content = readFileSync(file, 'utf8');
    for (const { line, word, instead } of refusedWords(file, content)) {
      count += 1;
      console.error(`${file}:${line}: "${word}". Write: ${instead}.`);
    }
    for (const { line, words, sentence } of longSentences(file, content)) {
      long += 1;
      console.error(`${file}:${line}: ${words} words. Make two sentences of: ${sentence}`);
    }
  }
  console.log(`${files.length} files, ${count} refused words, ${long} long sentences`);
  if (files.length === 0 || count + long > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main(process.argv.slice(2));
