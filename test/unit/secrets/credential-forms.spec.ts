import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  base64Cores,
  formsOf,
  holdsCredential,
  holdsPieceOf,
  reduced,
} from '../../../lib/secrets/credential-forms.js';

describe('the forms in which a server might repeat a credential', () => {
  it('S10: are what headers, forms, URLs and dumps make of it, letters and digits in lower case', () => {
    const base64 = reduced(Buffer.from('A b?~ü!').toString('base64').slice(0, -2));
    const forms = ['a20b3fc3bc', '4120623f7ec3bc21', '6532986312619518833', base64];
    expect(formsOf('A b?~ü!')).toEqual(expect.arrayContaining(forms));
    expect(formsOf('A b?~ü!-')).not.toContain('abü');
    expect(formsOf('A b?~üx')).toContain('abüx');
  });

  it('S10: leave out what is no longer than a syllable, such as the letters of a weak credential', () => {
    expect(formsOf('ab').every(({ length }) => length >= 4)).toBe(true);
    expect(formsOf('?!')).not.toContain('');
  });

  it('S10: contain UTF-16 without the zero at its end, because a dump may have the zero in front', () => {
    const hex = Buffer.from('Łódź-4711', 'utf16le').toString('hex');
    expect(formsOf('Łódź-4711')).toContain(hex.slice(0, -2));
    const whole = Buffer.from('4711-aŁ', 'utf16le').toString('hex');
    expect(formsOf('4711-aŁ')).toContain(whole);
  });

  it('S10: are each there backwards, too', () => {
    expect(formsOf('s3cret')).toEqual(expect.arrayContaining(['s3cret', 'terc3s']));
  });

  it('S10: ignore spaces, quotes, prefixes and capitals', () => {
    expect(reduced('S-3 c"R\n_e.T')).toBe('s3cret');
    expect(reduced('0x53 0x33')).toBe('5333');
  });
});

const SECRET = 'S3cr3t!Value0123+/456789';

const hex = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding).toString('hex');
const base64 = (text: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(text, encoding).toString('base64');
const basic = (id: string, secret: string) =>
  base64(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`);
const form = (text: string) => new URLSearchParams([[text, '']]).toString().slice(0, -1);

/** RFC 6749, section 2.3.1: Basic authentication with form-encoded credentials. */
const formBasic = (id: string, secret: string) => {
  return base64(`${form(id)}:${form(secret)}`);
};

const REPEATED: [how: string, text: string][] = [
  ['as it is', SECRET],
  ['in capitals', SECRET.toUpperCase()],
  ['backwards', Array.from(SECRET).toReversed().join('')],
  ['with spaces between', Array.from(SECRET).join(' ')],
  ['with hyphens between', Array.from(SECRET).join('-')],
  ['percent-encoded', encodeURIComponent(SECRET)],
  ['with every character percent-encoded', hex(SECRET).replaceAll(/../g, '%$&')],
  ['percent-encoded twice', encodeURIComponent(hex(SECRET).replaceAll(/../g, '%$&'))],
  ['in character references', Array.from(SECRET, (character) => `&#${character.charCodeAt(0)};`).join('')],
  ['in hexadecimal digits', hex(SECRET).toUpperCase()],
  ['in hexadecimal digits with colons', hex(SECRET).replaceAll(/..(?!$)/g, '$&:')],
  ['in hexadecimal digits with prefixes', hex(SECRET).replaceAll(/../g, '0x$& ')],
  ['in hexadecimal digits of UTF-16', hex(SECRET, 'utf16le')],
  [
    'in hexadecimal digits of UTF-16, the other way round',
    Buffer.from(SECRET, 'utf16le').swap16().toString('hex'),
  ],
  ['in base64 of UTF-16', base64(SECRET, 'utf16le')],
  ['in decimal digits', Buffer.from(SECRET).join(', ')],
  ['in base64 in small letters', base64(SECRET).toLowerCase()],
  ['in base64 backwards', Array.from(base64(SECRET)).toReversed().join('')],
  ...['', 'x', 'xx', 'shop-12', 'shop-123', 'shop-1234'].flatMap((id): [string, string][] => [
    [`in base64 after "${id}:"`, base64(`${id}:${SECRET}`)],
    [
      `in base64url after "${id}:", in a sentence`,
      `not <${Buffer.from(`${id}:${SECRET} and more`).toString('base64url')}>`,
    ],
    [`in Basic form after "${id}:"`, basic(id, SECRET)],
    [`in Basic form, form-encoded, after "${id}:"`, formBasic(id, SECRET)],
  ]),
];

function cpuOf(work: () => unknown): number {
  const from = process.cpuUsage();
  work();
  return process.cpuUsage(from).user;
}

describe('S10: a text that repeats a credential', () => {
  it.each(REPEATED)('is recognised: %s', (_, text) => {
    expect(holdsCredential(`urn:${text}:x`, SECRET)).toBe(true);
    expect(holdsPieceOf(`urn:${text}:x`, SECRET)).toBe(true);
  });

  it.each(['a', 'ab', 'shop-12', 'ü', '!!', '-_-_'])(
    'is recognised for the short credential %s',
    (credential) => {
      expect(holdsCredential(`x ${credential} y`, credential)).toBe(true);
      expect(holdsPieceOf(`x ${credential} y`, credential)).toBe(true);
      expect(holdsCredential('zzz', credential)).toBe(false);
    },
  );

  it('differs from a text that only shares a word', () => {
    expect(holdsCredential('https://api.example/acme-payments', 'acme-payments-production-4711')).toBe(false);
    expect(holdsPieceOf('https://api.example', SECRET)).toBe(false);
  });

  it('B13: takes no longer for a long credential than its forms are long', () => {
    const long = randomBytes(96 * 1024).toString('base64');
    const code = 'inactive application of this tenant';
    expect(holdsPieceOf(code, long)).toBe(false);
    const forms = cpuOf(() => formsOf(long));
    expect(cpuOf(() => holdsPieceOf(code, long))).toBeLessThan(20 * forms);
  });

  it('counts where it holds ten characters of a credential', () => {
    expect(holdsPieceOf(SECRET.slice(5, 15), SECRET)).toBe(true);
    expect(holdsPieceOf(SECRET.slice(5, 14), SECRET)).toBe(false);
    expect(holdsCredential(SECRET.slice(5, 15), SECRET)).toBe(false);
    expect(holdsPieceOf('!?.,-+*/#$ and', '"!?.,-+*/#$"')).toBe(true);
  });
});

describe('S10: the base64 of bytes inside of longer content', () => {
  // In base64 these bytes contain many `+` and `/`.
  const bytes = Buffer.from([0xfb, 0xef, 0xbe, 0xff, 0xff, 0xff, 0xfb, 0xef, 0xbe]);

  it.each(['base64', 'base64url'] as const)(
    'contains a core, wherever the bytes begin, in %s',
    (encoding) => {
      const cores = base64Cores(bytes);
      for (const before of [0, 1, 2, 3, 4, 5]) {
        const content = Buffer.concat([Buffer.alloc(before, 'x'), bytes, Buffer.from('yz')]);
        const text = content.toString(encoding);
        expect(cores.filter((core) => text.includes(core))).toHaveLength(1);
      }
    },
  );

  it('has three cores in two alphabets', () => {
    expect(base64Cores(bytes)).toHaveLength(6);
    expect(base64Cores(bytes).some((core) => core.includes('+') && core.includes('/'))).toBe(true);
    expect(base64Cores(bytes).some((core) => core.includes('-') && core.includes('_'))).toBe(true);
  });

  it('has no duplicates if both alphabets give the same core', () => {
    const cores = base64Cores(Buffer.from('canary'));
    expect(new Set(cores).size).toBe(cores.length);
    expect(cores).toHaveLength(3);
  });
});
