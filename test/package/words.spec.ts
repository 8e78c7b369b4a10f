import { describe, expect, it } from 'vitest';
import { longSentences, MOST_WORDS, PHRASES, refusedWords, WORDS } from '../architecture/words.mjs';
import { manifest, ROOT } from '../support/package/packed-package.js';
import { runNode } from '../support/run/run-command.js';

// This file cannot contain a refused word, so the tests read words from the list.
const [[WORD, INSTEAD] = ['', '']] = WORDS;
const CAPITALIZED = WORD.charAt(0).toUpperCase() + WORD.slice(1);
const [[PHRASE] = ['']] = PHRASES;
const [FIRST = '', ...REST] = PHRASE.split(' ');

function foundIn(content: string, file = 'lib/file.ts'): (string | number)[][] {
  return refusedWords(file, content).map(({ line, word }) => [line, word]);
}

function words(count: number): string {
  return Array.from({ length: count }, () => 'word').join(' ');
}

function tooLong(content: string, file = 'docs/page.md'): number[][] {
  return longSentences(file, content).map((one) => [one.line, one.words]);
}

describe('the check of the words', () => {
  it('finds a word in a sentence and says what to write', () => {
    expect(refusedWords('README.md', `First line.\nThe ${WORD} is here.`)).toEqual([
      { line: 2, word: WORD, instead: INSTEAD },
    ]);
  });

  it.each([`some${CAPITALIZED}Report`, CAPITALIZED, `HTTP${CAPITALIZED}`, `SOME_${WORD.toUpperCase()}_MS`])(
    'finds a word in the name %s',
    (name) => {
      expect(foundIn(`const ${name} = 1;`)).toEqual([[1, WORD]]);
    },
  );

  it('finds no word in a longer word', () => {
    expect(foundIn(`const x${WORD}x = 'x${WORD}';`)).toEqual([]);
  });

  it.each([
    ['a page', `one ${FIRST}\n${REST.join(' ')} two`],
    ['a line comment', `  // one ${FIRST}\n  // ${REST.join(' ')} two`],
    ['a block comment', `/**\n * one ${FIRST}\n * ${REST.join(' ')} two\n */`],
  ])('finds several words that %s breaks over two lines', (_, content) => {
    expect(foundIn(content).map(([, phrase]) => phrase)).toEqual([PHRASE]);
  });

  it('finds a word in the path of a file', () => {
    expect(foundIn('', `test/some-${WORD}.spec.ts`)).toEqual([[0, WORD]]);
  });

  it('allows a word in the code of the changelog, and nowhere else', () => {
    const line = `- \`${WORD}\` has another name.`;
    expect(foundIn(line, 'CHANGELOG.md')).toEqual([]);
    expect(foundIn(`- The ${WORD} has another name.`, 'CHANGELOG.md')).toEqual([[1, WORD]]);
    expect(foundIn(line, 'README.md')).toEqual([[1, WORD]]);
  });
});

describe('the check of the sentences', () => {
  it('B26: finds a sentence that is too long, also over several lines', () => {
    expect(tooLong(`# Title\n\nShort one. ${words(20)}\n${words(MOST_WORDS - 19)}.`)).toEqual([
      [3, MOST_WORDS + 1],
    ]);
    expect(tooLong(`${words(MOST_WORDS)}. ${words(MOST_WORDS)}.`)).toEqual([]);
  });

  it.each([
    ['an item of a list', `- ${words(40)}.`],
    ['a cell of a table', `| cell | ${words(40)} |`],
    ['a sentence with code', `\`some code\` ${words(39)}.`],
    ['a sentence with a link', `[${words(20)}](page.md) ${words(20)}.`],
  ])('B26: finds %s that is too long', (_, content) => {
    expect(tooLong(content)).toEqual([[1, 40]]);
  });

  it('B26: counts items, cells and sentences on their own, and no code blocks', () => {
    expect(tooLong(`- ${words(20)}\n- ${words(20)}\n\n| ${words(20)} | ${words(20)} |`)).toEqual([]);
    expect(tooLong(`\`\`\`text\n${words(40)}\n\`\`\``)).toEqual([]);
    expect(tooLong(`**${words(20)}.** ${words(20)}.`)).toEqual([]);
  });

  it('reads the pages for users only', () => {
    expect(tooLong(`${words(40)}.`, 'README.md')).toHaveLength(1);
    expect(tooLong(`${words(40)}.`, 'test/README.md')).toEqual([]);
    expect(tooLong(`${words(40)}.`, 'lib/file.ts')).toEqual([]);
  });
});

describe('npm run check:words', () => {
  it('is part of npm run check', () => {
    expect(manifest.scripts['check']).toContain('npm run check:words');
  });

  it('B26: finds no refused word in this repository, and no long sentence on the pages for users', async () => {
    const [, ...command] = manifest.scripts['check:words']?.split(' ') ?? [];
    const { code, output } = await runNode(command, { cwd: ROOT });
    expect(output).toMatch(/^\d+ files, 0 refused words, 0 long sentences\n$/);
    expect(code).toBe(0);
  });
});
