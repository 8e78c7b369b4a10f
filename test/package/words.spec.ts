import { describe, expect, it } from 'vitest';
import { PHRASES, refusedWords, WORDS } from '../architecture/words.mjs';
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

describe('npm run check:words', () => {
  it('is part of npm run check', () => {
    expect(manifest.scripts['check']).toContain('npm run check:words');
  });

  it('finds no refused word in this repository', async () => {
    const [, ...command] = manifest.scripts['check:words']?.split(' ') ?? [];
    const { code, output } = await runNode(command, { cwd: ROOT });
    expect(output).toMatch(/^\d{3} files, 0 refused words\n$/);
    expect(code).toBe(0);
  });
});
