import { describe, expect, it } from 'vitest';
import { holdsCredential, holdsPieceOf } from '../../../lib/secrets/credential-echo.js';

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

  it('counts where it holds ten characters of a credential', () => {
    expect(holdsPieceOf(SECRET.slice(5, 15), SECRET)).toBe(true);
    expect(holdsPieceOf(SECRET.slice(5, 14), SECRET)).toBe(false);
    expect(holdsCredential(SECRET.slice(5, 15), SECRET)).toBe(false);
    expect(holdsPieceOf('!?.,-+*/#$ and', '"!?.,-+*/#$"')).toBe(true);
  });
});
