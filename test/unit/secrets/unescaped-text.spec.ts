import { describe, expect, it } from 'vitest';
import { unescaped, withoutLayer } from '../../../lib/secrets/unescaped-text.js';

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
    ['&lt;&QUOT;&DiacriticalGrave;&fjlig;', '<"`fj'],
    ['&excl;&dollar;&lpar;&rpar;&ast;&midast;&comma;&colon;', '!$()**,:'],
    ['&gt;&quest;&commat;&lbrack;&lsqb;&rbrack;&rsqb;&Hat;', '>?@[[]]^'],
    ['&grave;&lbrace;&lcub;&verbar;&vert;&VerticalLine;&rbrace;&rcub;&apos;', "`{{|||}}'"],
    ['&nbsp;&#;&#x;&#45', '&nbsp;&#;&#x;&#45'],
    ['&constructor;&toString;', '&constructor;&toString;'],
    ['&#45x;&#x2dg;&amp', '&#45x;&#x2dg;&amp'],
    ['&#99999999999;', '&#99999999999;'],
    ['%26%2345%3B', '-'],
    [String.raw`\u00252D%5Cu002d&#92;/`, '--/'],
    ['a\0b\0', 'ab'],
    ['\u0000a\u0000%\u00002\u0000D', 'a-'],
  ])('%j stands for %j', (text, expected) => {
    expect(unescaped(text)).toBe(expected);
  });

  it('loses one layer at a time, the outermost first: NULs, backslashes, percent signs, references', () => {
    expect(withoutLayer('\0\\%41')).toBe('\\%41');
    expect(withoutLayer('\\%41')).toBe('%41');
    expect(withoutLayer('%26#45;')).toBe('&#45;');
    expect(withoutLayer('&#45;')).toBe('-');
    expect(withoutLayer('two words, #1; a/b+c=d_e-f.~')).toBe('two words, #1; a/b+c=d_e-f.~');
  });

  it('takes time in proportion to the length of a text of broken references', () => {
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
      unescaped(text);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    }),
  );
}
