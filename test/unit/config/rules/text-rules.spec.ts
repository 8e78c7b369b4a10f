import { describe, expect, it } from 'vitest';
import {
  flawOfAddress,
  flawOfCredential,
  flawOfText,
  kindOf,
} from '../../../../lib/config/rules/text-rules.js';

describe('C4: a text', () => {
  it.each([
    [undefined, 'is missing. Set it.'],
    ['', 'is empty. Set it.'],
    [' \t\n', 'contains nothing but white space. Set it.'],
    [5, 'must be a string, not a number.'],
    [null, 'must be a string, not null.'],
    ['a\u0007b', 'contains a control character. Copy it again, as plain text on one line.'],
    ['a\udc00b', 'contains a control character. Copy it again, as plain text on one line.'],
  ])('that is %j is reported with the way to fix it', (value, flaw) => {
    expect(flawOfText(value)).toBe(flaw);
  });

  it.each([' ', '\n', '\u00a0', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff'])(
    'has no %j around it, which comes along when it is copied',
    (mark) => {
      const flaw = 'has white space or a line break around it. Remove that.';
      expect([flawOfText(`${mark}a`), flawOfText(`a${mark}`)]).toEqual([flaw, flaw]);
    },
  );

  it('may have white space inside, and characters of any script', () => {
    for (const text of ['a', 'a b', 'a\u200db', 'ü🔑密']) expect(flawOfText(text)).toBeUndefined();
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [[], 'an object'],
    [true, 'a boolean'],
    [() => {}, 'a function'],
    [Symbol('canary'), 'a symbol'],
    [7n, 'a bigint'],
  ])('is not %s, and the error names only the kind', (value, kind) => {
    expect(kindOf(value)).toBe(kind);
  });
});

it('C4: the error of a credential says where the correct value comes from', () => {
  expect(flawOfCredential('changeme')).toBe(
    'is still a placeholder. Replace it with the value that your account representative gave you.',
  );
  expect(flawOfCredential(undefined, 'Ask for it.')).toBe('is missing. Ask for it.');
  expect(flawOfCredential('changeme', undefined, 'warehouse')).toBe(
    'is still a placeholder. Replace it with the value that the provider gave you.',
  );
  expect(flawOfCredential('value')).toBeUndefined();
});

function unusual(address: string): string {
  return `has an IP address in an unusual form, which means ${address}. Write the address as four decimal numbers, or use a host name.`;
}

describe('S9: an address', () => {
  const NO_URL = 'is not a URL. Write it in full, starting with https://.';
  const NO_HOST = 'has no host, or half of one. Was it put together from a variable that is empty?';
  const NO_HTTPS = 'is not https. The provider answers over https only; use its https address.';
  const USER = 'contains a user name or password. Remove it; credentials go into clientId and clientSecret.';

  it.each([
    [undefined, 'is missing. Set it so.'],
    ['', 'is empty. Set it so.'],
    ['{base_url}', 'is still a placeholder. Replace it with the address that the provider gave you.'],
    ['"https://a.example"', 'is in quotes. Remove them.'],
    ["'https://a.example'", 'is in quotes. Remove them.'],
    ['`https://a.example`', 'is in quotes. Remove them.'],
    ['https://a.example/a b', 'holds white space. Remove it.'],
    ['a.example', NO_URL],
    ['//a.example', NO_URL],
    ['https:a.example', NO_URL],
    ['https:/a.example', NO_URL],
    ['see:https://a.example', NO_URL],
    ['https:a.example/x://y', NO_URL],
    ['1https://a.example', NO_URL],
    ['https://a.example:port', NO_URL],
    ['https://a.example:65536', NO_URL],
    ['https:///v1', NO_HOST],
    [String.raw`https://\v1`, NO_HOST],
    ['https://.example/v1', NO_HOST],
    ['https://a..example/v1', NO_HOST],
    ['http://a.example', NO_HTTPS],
    ['git+ssh://a.example', NO_HTTPS],
    ['x-y.z1://a.example', NO_HTTPS],
    [String.raw`https://a.example\v1`, 'contains a backslash. Write it with forward slashes.'],
    ['https://user@a.example', USER],
    ['https://:password@a.example', USER],
    ['https://@a.example', USER],
    ['https://user@10.0.0.1', USER],
    ['HTTPS://:@a.example', USER],
    ['https://a.example/#', 'contains a fragment (#…). Remove it.'],
    ['https://a.example/#@b', 'contains a fragment (#…). Remove it.'],
  ])('that is %j is reported with the way to fix it', (value, flaw) => {
    expect(flawOfAddress(value, 'Set it so.')).toBe(flaw);
  });

  const SEVERAL = 'holds more than one address. Set one address.';
  const UNSET = 'has "undefined" or "null" in its host. Was it put together from a variable that is not set?';
  const CHARACTER =
    'has a character in its host that no host name has, such as a comma, * or $. Write the host in full.';

  const PORT = 'has the port 0, on which no server can listen. Set the port of the server, or remove it.';
  const LONG = 'has a part in its host that is longer than 63 characters. No host name has such a part.';

  it.each([
    ['https://api.example.com,https://b.example.com', SEVERAL],
    ['https://api.example.com/v1,https://b.example.com/v1', SEVERAL],
    ['https://api.example.com/v1;HTTPS://b.example.com/v1', SEVERAL],
    ['https://api.example.com|http://b.example.com', SEVERAL],
    ['https://api.example.com,b.example.com', CHARACTER],
    ['https://$HOST/v1', CHARACTER],
    ['https://$HOST.example.com/v1', CHARACTER],
    ['https://*.example.com', CHARACTER],
    ['https://api(1).example.com', CHARACTER],
    ["https://api'.example.com", CHARACTER],
    [`https://${'a'.repeat(64)}.example.com`, LONG],
    ['https://x:0/', PORT],
    ['https://x:00000/v1', PORT],
    ['https://[::1]:0', PORT],
    ['https://1.2.3/', unusual('1.2.0.3')],
    ['https://0x7f.1/', unusual('127.0.0.1')],
    ['https://2130706433', unusual('127.0.0.1')],
    ['https://010.0.0.1:8443/v1', unusual('8.0.0.1')],
    ['HTTPS://1.2.3?a=b', unusual('1.2.0.3')],
    ['https://undefined/v1', UNSET],
    ['https://null/v1', UNSET],
    ['https://UNDEFINED.example.com', UNSET],
    ['https://api.null.example.com:8443', UNSET],
  ])('C4: that cannot be correct is reported: %s', (value, flaw) => {
    expect(flawOfAddress(value, '')).toBe(flaw);
  });

  it.each([
    'https://my_service.internal',
    'https://xn--bcher-kva.example',
    'https://bücher.example',
    'https://127.0.0.1:8443/v1',
    'https://127.0.0.1./v1',
    'https://10.0.0.1?a=b',
    'https://[::1]:8443/v1',
    'https://localhost.',
    'https://nullable.example/undefined/null',
    'https://a.example/oauth/token?audience=https://b.example,https://c.example',
    'https://a.example/v1,2;3',
    `https://${'a'.repeat(63)}.example`,
  ])('C4: may be %s', (value) => {
    expect(flawOfAddress(value, '')).toBeUndefined();
  });

  it.each([
    'https://a.example',
    'HTTPS://A.EXAMPLE',
    'https://a.example/v1/..%2f@me',
    'https://a.example?to=a@b',
    'https://a.example/a..b/.hidden',
    'https://a.example///v1',
    'https://a.example?at=http:///x',
    'https://a.example/?to=https://b@c',
    'https://a.example/it\'s-"quoted"',
  ])('may be %s', (value) => {
    expect(flawOfAddress(value, '')).toBeUndefined();
  });
});
