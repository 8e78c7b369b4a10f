import { describe, expect, it } from 'vitest';
import { UnescapedText } from '../../../lib/secrets/unescaped-text.js';

describe('B28: an unescaped text', () => {
  it.each([
    ['plain', 'plain'],
    ['%2D%2d%252D', '---'],
    ['%2', '%2'],
    ['%zz%', '%zz%'],
    [String.raw`\/\\/\u002d\x2D\\u002d`, '//---'],
    [String.raw`\n\"\u00`, String.raw`\n"\u00`],
    ['&#45;&#x2D;&#x002d;&#0045;&amp;#45;&amp;amp;#45;', '------'],
    ['&sol;&plus;&equals;&period;&lowbar;', '/+=._'],
    ['&nbsp;&#;&#x;&#45', '&nbsp;&#;&#x;&#45'],
    ['&#99999999999;', '\ufffd'],
    ['%26%2345%3B', '-'],
    [String.raw`\u00252D%5Cu002d&#92;/`, '--/'],
    ['a\0b\0', 'ab\0'],
    ['\u0000a\u0000%\u00002\u0000D', 'a-'],
  ])('%j stands for %j', (text, expected) => {
    expect(new UnescapedText(text).toString()).toBe(expected);
  });
});
