import { assert, constantFrom, nat, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlainText, SearchPattern } from '../../../../lib/http/redaction/search-pattern.js';
import { UnescapedText } from '../../../../lib/secrets/unescaped-text.js';

/** All matches that do not overlap, found by the simplest search. */
function slowMatches(pattern: string, least: number, text: string): object[] {
  const matches: object[] = [];
  for (let start = text.indexOf(pattern.slice(0, least)); start >= 0;) {
    let length = least;
    while (length < pattern.length && text[start + length] === pattern[length]) length += 1;
    matches.push({ start, end: start + length });
    start = text.indexOf(pattern.slice(0, least), start + length);
  }
  return matches;
}

const fewLetters = (limits: object) => string({ unit: constantFrom('a', 'b'), ...limits });

describe('B28: a search pattern', () => {
  it('finds the same as the simplest search, also with few different letters', () => {
    assert(
      property(
        fewLetters({ minLength: 1, maxLength: 6 }),
        nat(5),
        fewLetters({ maxLength: 40 }),
        (pattern, cut, text) => {
          const least = Math.max(1, pattern.length - cut);
          const expected = slowMatches(pattern, least, text);
          expect(new SearchPattern(pattern, least).find(new PlainText(text))).toEqual(expected);
          expect(new SearchPattern(pattern, least).find(new UnescapedText(text))).toEqual(expected);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('that is empty is found nowhere', () => {
    expect(new SearchPattern('').find(new PlainText('text'))).toEqual([]);
  });
});
