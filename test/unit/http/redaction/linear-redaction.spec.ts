import { describe, expect, it } from 'vitest';
import { TokenRedaction } from '../../../../lib/http/redaction/token-redaction.js';

const KIB = 1024;
const SMALL = 16 * KIB;
const TIMES = 8;
/** Linear work takes 8 times as long for 8 times the text, quadratic work 64 times. */
const GENEROUS = 30;

const ORDINARY = 'bc3Xy7QpLmN0aZrXy7QpLmN0aZrXy7QpLmN0aZr';

const TOKENS: [name: string, token: string][] = [
  ['an ordinary token', ORDINARY],
  ...Array.from('-._~+/', (first): [string, string] => [
    `a token that begins with ${first}`,
    first + ORDINARY,
  ]),
  ['16 KiB of punctuation', '-._~+/'.repeat((16 * KIB) / 6)],
  ['16 KiB of one letter', 'a'.repeat(16 * KIB)],
  ['16 KiB of two letters', 'ab'.repeat(8 * KIB)],
  ['one letter, and another at its end', `${'a'.repeat(2 * KIB)}b`],
  ['one letter, and another at its start', `b${'a'.repeat(2 * KIB)}`],
  ['hexadecimal digits', '2525252D2525252D2525252D'],
  ['visible characters', String.raw`00D!AQ%41\u0041"<&amp;+${ORDINARY}`],
  ['16 KiB that look escaped', String.raw`%2541\\&amp;"`.repeat(KIB)],
  ['16 KiB of backslashes', '\\'.repeat(16 * KIB)],
];

const TEXTS: [name: string, unit: string, start?: string][] = [
  ['backslashes', '\\'],
  ['%25', '25', '%'],
  ['many %25', '%25'],
  ['&amp;', 'amp;', '&'],
  ['many &amp;', '&amp;'],
  ['references without an end', '0', '&#'],
  ['backslashes before a reference without an end', '\\&#00000000'],
  [String.raw`\u0000`, String.raw`\u0000`],
  [String.raw`\u005c`, String.raw`\u005c`],
  ['NULs', 'a\0'],
  ['all escapes', String.raw`%41\"&amp;`],
  ['one letter', 'a'],
  ['one letter, escaped', '%61'],
  ['words', 'the quick brown fox '],
];

/** The processor time of one run, in milliseconds. It does not depend on other processes of the machine. */
function millisecondsFor(token: string, text: string): number {
  const redaction = new TokenRedaction([token]);
  const start = process.cpuUsage();
  redaction.text(text);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

/**
 * How many times as long the large text takes. A single run may take longer by chance, so the smallest of three figures counts; the
 * first that is small enough ends the search.
 */
function growthFor(token: string, small: string, large: string): number {
  // The first run also compiles.
  millisecondsFor(token, small);
  let growth = Infinity;
  for (let run = 0; run < 3 && growth > GENEROUS; run += 1) {
    // A time below a millisecond shows only the clock and the compiler.
    const short = Math.max(millisecondsFor(token, small), 1);
    growth = Math.min(growth, millisecondsFor(token, large) / short);
  }
  return growth;
}

function textOf(length: number, unit: string, start = ''): string {
  return start + unit.repeat(Math.ceil(length / unit.length));
}

describe('B28: redaction', () => {
  it('B28: 32 KB of backslashes take the same time for any token', () => {
    const text = textOf(32 * KIB, '\\');
    const fastest = (token: string): number =>
      Math.min(...Array.from({ length: 3 }, () => millisecondsFor(token, text)));
    expect(fastest(`-${ORDINARY}`)).toBeLessThan(20 * fastest(ORDINARY) + 20);
  });

  it.each(TOKENS)('B28: work is linear in the length of any text, for %s', (_, token) => {
    const growth = TEXTS.map(([name, unit, start]) => ({
      name,
      times: growthFor(token, textOf(SMALL, unit, start), textOf(TIMES * SMALL, unit, start)),
    }));
    expect(growth.filter(({ times }) => times > GENEROUS)).toEqual([]);
  });

  it('B28: a token of one letter is not found again in what replaces it', () => {
    const text = `e%${'25'.repeat(30)}41`;
    expect(new TokenRedaction(['e']).text(text).length).toBeLessThan(2 * text.length);
  });

  it('B28: an incomplete escape before another is not read again for each of them', () => {
    const token = `-${ORDINARY}`;
    const small = textOf(SMALL, '\\') + textOf(SMALL, '0', '&#');
    const large = textOf(TIMES * SMALL, '\\') + textOf(TIMES * SMALL, '0', '&#');
    expect(growthFor(token, small, large)).toBeLessThan(GENEROUS);
  });
});

describe('B13: redaction never throws', () => {
  it('B13: a token of 12,000 characters of which half are dots is redacted', () => {
    const token = 'a.'.repeat(6_000);
    const redaction = new TokenRedaction([token]);
    expect(redaction.text(`x ${token} y`)).toBe('x [redacted] y');
    expect(redaction.text(`x ${encodeURIComponent(token).replaceAll('.', '%2e')} y`)).toBe('x [redacted] y');
  });

  it('B13: a body of any depth is redacted', () => {
    const depth = 50_000;
    const body: unknown = JSON.parse(`${'['.repeat(depth)}"${ORDINARY}"${']'.repeat(depth)}`);
    let clean = new TokenRedaction([ORDINARY]).value(body);
    while (Array.isArray(clean)) [clean] = clean as unknown[];
    expect(clean).toBe('[redacted]');
  });

  it('B13: a body that cannot be read is dropped', () => {
    const body = {
      get secret(): string {
        throw new Error(ORDINARY);
      },
    };
    expect(new TokenRedaction([ORDINARY]).value(body)).toBe('[redacted]');
  });

  it('B28: more escapes in a row than can be decoded are dropped', () => {
    const text = `a ${'\\'.repeat(4 * KIB * KIB + 1)} b`;
    const clean = new TokenRedaction([ORDINARY]).text(text);
    expect(clean).toContain('[redacted]');
    // A text that cannot be searched is dropped as a whole. V8 once refused to search this one, in a process with many specs.
    expect(clean.replaceAll(/^a | b$/g, '')).toBe('[redacted]');
  });
});
