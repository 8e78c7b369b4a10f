import { describe, expect, it } from 'vitest';
import { ReflectedTokens } from '../../../lib/http/reflected.js';

const TOKEN = 'aZ.9-~_+/k=';
const REDACTED = '[redacted]';

const all = (write: (character: string) => string): string => Array.from(TOKEN, write).join('');
const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');

function redacted(text: string, tokens: readonly string[] = [TOKEN]): string {
  return new ReflectedTokens(tokens).redact(text);
}

describe('a token that a server repeats', () => {
  it.each<[string, string]>([
    ['plain', TOKEN],
    ['in the other case', TOKEN.toUpperCase()],
    ['as JSON escapes a slash', TOKEN.replaceAll('/', String.raw`\/`)],
    ['with a backslash before each character', all((one) => `\\${one}`)],
    ['by its numbers in JSON', all((one) => String.raw`\u00` + hexOf(one))],
    ['by its numbers in upper case', all((one) => String.raw`\u00` + hexOf(one).toUpperCase())],
    ['percent-encoded', encodeURIComponent(TOKEN)],
    ['percent-encoded in lower case', encodeURIComponent(TOKEN).toLowerCase()],
    ['percent-encoded in every character', all((one) => `%${hexOf(one)}`)],
  ])('B12: is taken out of a text: %s', (_, written) => {
    expect(redacted(`a ${written}, b ${written}`)).toBe(`a ${REDACTED}, b ${REDACTED}`);
  });

  it('B12 B31: is taken out of a text that escapes a token of any visible characters', () => {
    const token = String.raw`v^1%2B\&lt;"#!`;
    for (const written of [token, JSON.stringify(token).slice(1, -1), encodeURIComponent(token)])
      expect(redacted(`a ${written}, b`, [token])).toBe(`a ${REDACTED}, b`);
  });

  it('B12: is taken out of bytes and out of lists, and every other byte stays', () => {
    const bytes = Buffer.from([0xff, 0xc3, ...Buffer.from(TOKEN), 0x00, 0x80]);
    const reflected = new ReflectedTokens([TOKEN]);
    const clean = Buffer.from([0xff, 0xc3, ...Buffer.from(REDACTED), 0x00, 0x80]);
    expect(reflected.redact(bytes).equals(clean)).toBe(true);
    expect(reflected.redact([`a=${TOKEN}`, ['b', bytes], 3])).toEqual([`a=${REDACTED}`, ['b', clean], 3]);
  });

  it('B12: each of the tokens of a call, and nothing else', () => {
    expect(redacted(`first second ${TOKEN.slice(1)}`, ['first', 'second', TOKEN])).toBe(
      `${REDACTED} ${REDACTED} ${TOKEN.slice(1)}`,
    );
    expect(redacted('aZx9', ['aZ.9'])).toBe('aZx9');
    const kept = Buffer.from('no token');
    expect(new ReflectedTokens([TOKEN]).redact(kept)).toBe(kept);
    for (const value of [undefined, null, 7, { token: TOKEN }])
      expect(new ReflectedTokens([TOKEN]).redact(value)).toBe(value);
    expect(redacted('a text', [])).toBe('a text');
  });

  it.each(['aaaaaaaa', String.raw`\u0075`])('B28: takes linear time in a text that repeats %s', (part) => {
    const [tenth = 0, whole] = [200, 2_000].map((times) => {
      const text = part.repeat(times).slice(0, -1).concat('b').repeat(40);
      const startedAt = performance.now();
      expect(redacted(text, [part.replace('\\', '').repeat(times)])).toBe(text);
      return performance.now() - startedAt;
    });
    // With a new search at each position it would be 100 times as long.
    expect(whole).toBeLessThan(40 * tenth);
  });

  it('B12: is found where its own beginning comes before it', () => {
    expect(redacted('aabaabaaab', ['aabaaa'])).toBe(`aab${REDACTED}b`);
    expect(redacted(String.raw`C:\u0061bcd %41bcd`, ['u0061bcd', '41bcd'])).toBe(
      `C:\\${REDACTED} %${REDACTED}`,
    );
  });
});
