import { array, assert, constantFrom, nat, oneof, option, property, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenRedaction } from '../../../../lib/http/redaction/token-redaction.js';
import { unescaped } from '../../../../lib/secrets/unescaped-text.js';
import { COMPLETE_ENCODINGS, ENCODINGS } from '../../../support/secrets/encodings.js';

const LETTERS = 'ABCXYZabcxyz0123456789';
const B64TOKEN_CHARACTERS = `${LETTERS}-._~+/`;

/** Every visible character, as in a token of a definition with `tokenCharacters: 'visible'`. */
const VISIBLE = Array.from({ length: 94 }, (_, index) => String.fromCharCode(index + 33));

/** Pieces that look like escapes, and that a server escapes again. */
const LOOKALIKES = [
  '%41',
  '%2541',
  '%00',
  '\\',
  '\\u0041',
  '\\x41',
  '&amp;',
  '&#65;',
  '&lt;',
  '"',
  '<',
  '&',
  '%',
  '+',
];

/** The characters of difficult tokens: punctuation alone, few different letters, hexadecimal digits. */
const bearerTokens = oneof(
  string({ unit: constantFrom(...Array.from(B64TOKEN_CHARACTERS)), minLength: 4, maxLength: 40 }),
  string({ unit: constantFrom('-', '.', '_', '~', '+', '/'), minLength: 4, maxLength: 40 }),
  string({ unit: constantFrom('2', '5', 'D', 'u', '0', '-'), minLength: 8, maxLength: 20 }),
);

const tokens = oneof(
  bearerTokens,
  string({ unit: constantFrom(...VISIBLE), minLength: 4, maxLength: 40 }),
  string({
    unit: constantFrom(...VISIBLE, ...LOOKALIKES, ...LOOKALIKES, ...LOOKALIKES),
    minLength: 4,
    maxLength: 20,
  }),
);

/** Applied one after the other. An encoding of letters can only be the first. */
const encodings = tuple(
  option(constantFrom(...Object.values(COMPLETE_ENCODINGS)), { nil: undefined }),
  array(constantFrom(...Object.values(ENCODINGS)), { maxLength: 4 }),
).map(([first, others]) => (text: string): string => {
  const encoded = first?.(text) ?? text;
  return others.reduce((inner, encode) => encode(inner), encoded);
});

const ESCAPES = ['\\', '\\\\', '%', '%25', '%2D', '&', '&amp;', '&#', '&#0', '\\u00', '\\u0000', '\0'];
const REMAINS = ['25', 'amp;', '45;', '0', 'x2d;', '2d', ';', '#', 'u', 'x', '-', '/', 'a', ' ', '"', 'é'];

/** Text that is full of escapes, whole and broken. */
const noise = array(constantFrom(...ESCAPES, ...REMAINS), { maxLength: 30 }).map((parts) => parts.join(''));

/** What the first characters are without escapes. An escape that is cut is none. */
function startOf(token: string): string {
  return unescaped(token.slice(0, 12)).replace(/[\\%&].*$/, '');
}

/** An earlier expression for a token: slow for some texts, but right. */
function slowExpression(token: string): RegExp {
  const pattern = token.replace(/[^A-Za-z0-9]/g, (character) => {
    const code = character.charCodeAt(0);
    const hex = code.toString(16).replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    return `(?:\\\\*\\${character}|%(?:25)*${hex}|\\\\+u00${hex}|&(?:amp;)*#(?:[xX]0*${hex}|0*${code});)`;
  });
  return new RegExp(pattern);
}

describe('B12: a reflected token', () => {
  it('B12 B31: is found in any encodings, one inside another, between any texts', () => {
    assert(
      property(tokens, encodings, noise, noise, (token, encode, before, after) => {
        const encoded = encode(token);
        const clean = new TokenRedaction([token]).text(`${before} ${encoded} ${after}`);
        expect(clean).toContain('[redacted]');
        expect(clean).not.toContain(encoded);
        expect(new TokenRedaction([token]).text(`"${encoded}"`)).toContain('[redacted]');
      }),
      { numRuns: 2_000 },
    );
  });

  it('B12 B31: is found without its last quarter, in any encodings', () => {
    // A shorter start without escapes could be part of any word.
    const long = tokens.filter((token) => startOf(token).length >= 4 && token.length >= 16);
    assert(
      property(long, encodings, nat(24), noise, (token, encode, percent, before) => {
        const cut = token.slice(0, Math.ceil(token.length * (1 - percent / 100)));
        const clean = new TokenRedaction([token]).text(`${before} ${encode(cut)} after`);
        expect(clean).toContain('[redacted]');
      }),
      { numRuns: 2_000 },
    );
  });

  it('B12: is found wherever the slow expression finds it', () => {
    const pieces = tuple(bearerTokens, array(oneof(noise, nat(40)), { maxLength: 12 }));
    assert(
      property(pieces, encodings, ([token, parts], encode) => {
        const encoded = encode(token);
        const text = parts
          .map((part) => (typeof part === 'string' ? part : `${encoded.slice(0, part)} ${encoded}`))
          .join(' ');
        const slow = slowExpression(token);
        const clean = new TokenRedaction([token]).text(text);
        expect(slow.test(clean)).toBe(false);
        expect(clean !== text || !slow.test(text)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('B12: a text without a token stays the same text', () => {
    const strangers = string({ unit: constantFrom(...Array.from(LETTERS)), minLength: 20, maxLength: 40 });
    assert(
      property(strangers, array(oneof(noise, strangers)), (token, parts) => {
        const text = parts.filter((part) => !part.includes(token.slice(0, 12))).join('');
        expect(new TokenRedaction([token]).text(text)).toBe(text);
      }),
    );
  });
});
