import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { IDENTITY, TokenIdentity, withIdentity } from '../../../lib/token/token-identity.js';

const known = 'Its members are account, scope, audience, resource.';

describe('what for() takes', () => {
  it.each<[target: unknown, message: string]>([
    [undefined, 'for() takes an object literal, not undefined.'],
    ['one', 'for() takes an object literal, not a string.'],
    [Object.create({ account: 'one' }), 'for() takes an object literal, not an object.'],
    [{ acount: 'one' }, `for() does not know acount. ${known}`],
    [{ [Symbol('account')]: 'one' }, `for() does not know Symbol(account). ${known}`],
    [{ account: undefined }, 'account of for() must be a string, not undefined.'],
    [{ scope: 1 }, 'scope of for() must be a string, not a number.'],
    [{ account: '' }, 'account of for() is empty.'],
    [{ account: 'a'.repeat(201) }, 'account of for() has more than 200 characters.'],
    [{ resource: 'a'.repeat(4_001) }, 'resource of for() has more than 4000 characters.'],
    [{ account: 'one\n' }, 'account of for() has a control character, or a space at an end.'],
    [{ scope: ' read' }, 'scope of for() has a control character, or a space at an end.'],
    ...[0x2028, 0x61c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069, 0xd800, 0xdfff].map(
      (code): [unknown, string] => [
        { account: `a${String.fromCharCode(code)}b` },
        'account of for() has a control character, or a space at an end.',
      ],
    ),
  ])('B33: refuses %o, because a lost name would give the credentials of the pair', (target, message) => {
    expect(() => TokenIdentity.of(target)).toThrow(new TypeError(message));
  });

  it.each([
    { account: 'a'.repeat(200) },
    { scope: 'a'.repeat(4_000) },
    { account: 'one two' },
    { account: 'aé\u{1f600}中ב' },
    runInNewContext('({ audience: "stock" })') as object,
  ])('B33: takes %o', (target) => {
    expect(TokenIdentity.of(target)?.members).toEqual({ ...target });
  });

  it('B33: adds to the target before it', () => {
    const account = TokenIdentity.of({ account: 'one', scope: 'read' });
    expect(TokenIdentity.of({ scope: 'write' }, account)?.members).toEqual({
      account: 'one',
      scope: 'write',
    });
    expect(TokenIdentity.of({}, account)?.key).toBe(account?.key);
  });
});

describe('the identity of a token', () => {
  const identity = TokenIdentity.of({ account: 'one' }) as TokenIdentity;

  it('B33: is in a copy of the config, and replaces one that is there', () => {
    const config = { timeout: 5, [IDENTITY]: 'another' };
    expect(withIdentity(config, identity)).toEqual({ timeout: 5, [IDENTITY]: identity });
    expect(config[IDENTITY]).toBe('another');
    expect(withIdentity(undefined, identity)).toEqual({ [IDENTITY]: identity });
  });

  it('B33: shows its members to a reader of the config, in a name that axios copies', () => {
    expect(JSON.stringify({ [IDENTITY]: identity })).toBe('{"_tokenIdentity":{"account":"one"}}');
  });

  it.each([[undefined], [null], ['one'], [{ account: 'one' }], [Object.create(identity)]])(
    'B33: is none that a text or an object of a user can be: %o',
    (value) => {
      expect(TokenIdentity.isOne(value)).toBe(false);
    },
  );
});
