import { describe, expect, it } from 'vitest';
import { mayHoldEscapes, UnescapedText } from '../../../lib/secrets/unescaped-text.js';

describe('B28: an unescaped text', () => {
  it.each([
    ['plain', 'plain'],
    ['%2D%2d%252D', '---'],
    ['%5a%5A%6f%6F', 'ZZoo'],
    ['%2', '%2'],
    ['%-1%/0%6g%', '%-1%/0%6g%'],
    ['%zz%', '%zz%'],
    [String.raw`\/\\/\u002d\x2D\\u002d`, '//---'],
    [String.raw`\n\"\u00`, String.raw`\n"\u00`],
    [String.raw`\%61\\u0061`, 'aa'],
    ['\\\0n\0x', '\\nx'],
    [String.raw`\0\9\A\Z\a\z`, String.raw`\0\9\A\Z\a\z`],
    ['\\/\\:\\@\\[\\`\\{', '/:@[`{'],
    ['&#45;&#x2D;&#x002d;&#0045;&amp;#45;&amp;amp;#45;', '------'],
    ['&#X2D;&#X2d;', '--'],
    ['&sol;&plus;&equals;&period;&lowbar;', '/+=._'],
    ['&AMP;&UnderBar;&num;&percnt;&semi;&bsol;', '&_#%;\\'],
    ['&nbsp;&#;&#x;&#45', '&nbsp;&#;&#x;&#45'],
    ['&#45x;&#x2dg;&amp', '&#45x;&#x2dg;&amp'],
    ['&#99999999999;', '\ufffd'],
    ['%26%2345%3B', '-'],
    [String.raw`\u00252D%5Cu002d&#92;/`, '--/'],
    ['a\0b\0', 'ab\0'],
    ['\u0000a\u0000%\u00002\u0000D', 'a-'],
  ])('%j stands for %j', (text, expected) => {
    expect(new UnescapedText(text).toString()).toBe(expected);
  });

  it.each(['\\', '%', '&', '\0'])('may differ from a text with %j', (character) => {
    expect(mayHoldEscapes(`a${character}b`)).toBe(true);
  });

  it('does not differ from a text of words and other punctuation', () => {
    expect(mayHoldEscapes('')).toBe(false);
    expect(mayHoldEscapes('two words, #1; a/b+c=d_e-f.~')).toBe(false);
  });

  it('may hold a short text only if each of its characters occurs', () => {
    const text = new UnescapedText('%61\\u0062c');
    expect(text.mayHold('abc')).toBe(true);
    expect(text.mayHold('cab')).toBe(true);
    expect(text.mayHold('abd')).toBe(false);
    expect(text.mayHold('dab')).toBe(false);
  });

  it('gives for each place its symbol and the place after this symbol', () => {
    const text = new UnescapedText('%61b');
    expect(text.isPlain).toBe(false);
    expect(text.length).toBe(4);
    expect([0, 1, 2, 3].map((at) => [String.fromCharCode(text.symbol(at)), text.end(at)])).toEqual([
      ['a', 3],
      ['6', 2],
      ['1', 3],
      ['b', 4],
    ]);
  });

  it('has only replacement characters after its end', () => {
    const text = new UnescapedText('ab');
    expect([text.symbol(2), text.end(2)]).toEqual([0xfffd, 3]);
  });

  it('reads no more of a named reference than the longest known name', () => {
    // Without this limit, 32 times the text costs about a thousand times the work, or the search does not end.
    const small = millisecondsFor('&a'.repeat(4 * 1024));
    const large = millisecondsFor('&a'.repeat(32 * 4 * 1024));
    expect(large).toBeLessThan(Math.max(small, 1) * 200);
  });
});

/** The least CPU time of some runs, in milliseconds. The load of other processes does not count. */
function millisecondsFor(text: string): number {
  return Math.min(
    ...Array.from({ length: 3 }, () => {
      const start = process.cpuUsage();
      new UnescapedText(text).toString();
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    }),
  );
}
