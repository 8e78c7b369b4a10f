import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../lib/secrets/secret.js';
import { identifiedProfile } from '../../../lib/token/accounts.js';
import { FleetPlace } from '../../../lib/token/fleet/place.js';
import {
  assertSameAccount,
  IDENTITY,
  TokenIdentity,
  type TokenTarget,
  withIdentity,
} from '../../../lib/token/token-identity.js';
import { addToPrototype } from '../../support/http/pollutions.js';
import { profileOf } from '../../support/token/token-fixtures.js';

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
    ...[0x2028, 0x61c, 0x202e, 0xd800, 0xdfff].map((code): [unknown, string] => [
      { account: `a${String.fromCharCode(code)}b` },
      'account of for() has a control character, or a space at an end.',
    ]),
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

const accounts = (account: string) => ({ clientId: account, clientSecret: 'canary-secret' });
const warehouse = profileOf({ provider: 'warehouse', terms: { scope: 'all', audience: 'stock' } });

function identityOf(target: TokenTarget): TokenIdentity {
  const identity = TokenIdentity.of(target);
  if (identity === undefined) throw new TypeError('This is the pair itself.');
  return identity;
}

describe('the profile of an account or a scope', () => {
  it('B33: has the fields of for in place of those of the definition, and keeps the others', () => {
    const { terms, clientSecret } = identifiedProfile(warehouse, identityOf({ scope: 'read' }), undefined);
    expect(terms).toEqual({ scope: 'read', audience: 'stock' });
    expect(clientSecret).toBe(warehouse.clientSecret);
  });

  it.each([
    ['clientKey', 'private_key_jwt', 'the clientKey that accounts returns for one'],
    ['credentials', 'tls_client_auth', 'the credentials that accounts returns for one'],
  ] as const)('B29: advice for an account names its %s in words', (_, clientAuth, named) => {
    const own = profileOf({ provider: 'warehouse', terms: { clientAuth } });
    const { names } = identifiedProfile(own, identityOf({ account: 'one' }), accounts);
    expect(names.clientSecret).toBe(named);
    expect(names.clientId).toBe('the clientId that accounts returns for one');
  });

  it('B29: the name of an account cannot end the parentheses of a log line', () => {
    const account = 'one) (API_RECOVERED, two';
    const { names } = identifiedProfile(warehouse, identityOf({ account }), accounts);
    expect(names.clientSecret).toBe('the clientSecret that accounts returns for one_ _API_RECOVERED, two');
  });

  it('B33: has its own place in a store, also with equal credentials', () => {
    const secret = new Secret('canary-secret');
    const targets: TokenTarget[] = [
      { account: 'one' },
      { account: 'ONE' },
      { scope: 'one' },
      { audience: 'one' },
      { resource: 'one' },
      { account: 'one', scope: 'one' },
      { account: '["one"]' },
    ];
    const names = targets.map(
      (target) => new FleetPlace(identifiedProfile(warehouse, identityOf(target), accounts), secret).name,
    );
    const ofPair = new FleetPlace(warehouse, secret).name;
    expect(new Set([...names, ofPair]).size).toBe(targets.length + 1);
  });

  it('B33: of the built-in provider has its own place in each pair, too, at the same token URL', () => {
    const secret = new Secret('canary-secret');
    const names = (['sandbox', 'production'] as const).map((environment) => {
      const profile = identifiedProfile(profileOf({ environment }), identityOf({ account: 'one' }), accounts);
      return new FleetPlace(profile, secret).name;
    });
    expect(new Set([...names, new FleetPlace(profileOf(), secret).name]).size).toBe(3);
  });

  it('B33: two identities are equal if their members are, and no member can pass for another', () => {
    expect(identityOf({ account: 'a', scope: 'b' }).key).toBe(identityOf({ scope: 'b', account: 'a' }).key);
    expect(identityOf({ account: 'a' }).key).not.toBe(identityOf({ scope: 'a' }).key);
    expect(identityOf({ account: 'a' }).key).not.toBe(identityOf({ account: 'a', scope: 'a' }).key);
    expect(identityOf({ account: 'a","b' }).key).not.toBe(identityOf({ account: 'a', scope: 'b' }).key);
  });

  it('B36 B33: a polluted prototype adds no field to the token request of another scope', () => {
    const members = [
      'grantType',
      'resource',
      'params',
      'expiresIn',
      'tokenTypes',
      'tokenCharacters',
    ] as const;
    const { terms } = identifiedProfile(warehouse, identityOf({ scope: 'read' }), undefined);
    const cleaners = members.map((member) => addToPrototype(member, { value: 'evil' }));
    // The matchers of Vitest do not work with such a prototype.
    const found = members.map((member) => terms?.[member]);
    for (const clean of cleaners) clean();
    expect(found).toEqual(members.map(() => undefined));
  });
});

it('B33: a config without the account of its call is refused, with what to do', () => {
  const one = TokenIdentity.of({ account: 'one' })!;
  for (const [account, config] of [
    [undefined, {}],
    [undefined, withIdentity({}, one)],
    [one, withIdentity({}, one)],
  ] as const)
    expect(() => assertSameAccount(account, config)).not.toThrow();
  for (const config of [{}, withIdentity({}, TokenIdentity.of({ account: 'two' })!)])
    expect(() => assertSameAccount(one, config)).toThrow(
      new TypeError(
        'An interceptor or an adapter has made a new config without the account of the call. Copy its members, with _tokenIdentity.',
      ),
    );
});
