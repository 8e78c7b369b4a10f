import { setFlagsFromString } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { TokenRedaction } from '../../../../lib/http/redaction/token-redaction.js';

const TOKEN = 'canary-a.b~c+d/e_f==';
const LENGTH = 10 * 1024 * 1024;

/**
 * V8 does this in a process that has compiled much (seen with V8 11.3): its expressions keep a place to go back to for each
 * character of a run, and throw a `RangeError` for a run of some MiB. A separate spec, because V8 keeps what it has compiled before.
 */
setFlagsFromString('--no-regexp-optimization');

const redaction = new TokenRedaction([TOKEN]);
const zeros = Buffer.alloc(LENGTH);
const word = 'QUJD'.repeat(LENGTH / 4);

describe('B12, B28: a body that is one long word, in a process that has compiled much', () => {
  it('stays the same without a token', () => {
    expect(redaction.text(word) === word).toBe(true);
    expect(redaction.value(zeros) === zeros).toBe(true);
  });

  it('loses the token next to it, and nothing else', () => {
    expect(redaction.text(`${TOKEN} ${word}`) === `[redacted] ${word}`).toBe(true);
  });

  it('loses a token in UTF-16 after zeros, which stay', () => {
    const clean = redaction.value(Buffer.concat([zeros, Buffer.from(TOKEN, 'utf16le')])) as Buffer;
    expect(clean.subarray(0, LENGTH).equals(zeros)).toBe(true);
    const text = clean.subarray(LENGTH).toString('utf16le').replaceAll('\0', '');
    expect(text).toBe('[redacted]');
  });
});
