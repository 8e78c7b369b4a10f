import { describe, expect, it } from 'vitest';
import { Secret } from '../../../lib/secrets/secret.js';
import { FleetPlace } from '../../../lib/token/fleet/place.js';
import { identifiedProfile, problemOfIdentity } from '../../../lib/token/accounts.js';
import { TokenIdentity, type TokenTarget } from '../../../lib/token/token-identity.js';
import { addToPrototype } from '../../support/http/pollutions.js';
import { profileOf } from '../../support/token/token-fixtures.js';

const accounts = (account: string) => ({ clientId: account, clientSecret: 'canary-secret' });
const warehouse = profileOf({ provider: 'warehouse', terms: { scope: 'all', audience: 'stock' } });

function identityOf(target: TokenTarget): TokenIdentity {
  const identity = TokenIdentity.of(target);
  if (identity === undefined) throw new TypeError('This is the pair itself.');
  return identity;
}

function keyOf(target: TokenTarget): string {
  return identityOf(target).key;
}

describe('the profile of an account or a scope', () => {
  it('B33: has the fields of for in place of those of the definition, and keeps the others', () => {
    const { terms, clientSecret } = identifiedProfile(warehouse, identityOf({ scope: 'read' }), undefined);
    expect(terms).toEqual({ scope: 'read', audience: 'stock' });
    expect(clientSecret).toBe(warehouse.clientSecret);
  });

  it('B33: of an account changes nothing in the token request but the client', async () => {
    const profile = identifiedProfile(warehouse, identityOf({ account: 'one' }), accounts);
    expect(profile.account).toBe('one');
    // The same object, and none for the built-in provider, whose token request has no further fields.
    expect(profile.terms).toBe(warehouse.terms);
    expect(identifiedProfile(profileOf(), identityOf({ account: 'one' }), accounts).terms).toBeUndefined();
    expect((await profile.clientSecret.read()).clientId?.reveal()).toBe('one');
  });

  it.each([
    ['clientSecret', undefined, 'the clientSecret that accounts returns for one'],
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
    const pair = profileOf();
    const names = (['sandbox', 'production'] as const).flatMap((environment) =>
      ['one', 'two'].map((account) => {
        const profile = identifiedProfile({ ...pair, environment }, identityOf({ account }), accounts);
        return new FleetPlace(profile, secret).name;
      }),
    );
    expect(new Set([...names, new FleetPlace(pair, secret).name]).size).toBe(5);
  });

  it.each<[TokenTarget, boolean, string]>([
    [{ account: 'one' }, false, ''],
    [{ scope: 'read' }, false, 'scope'],
    [{ account: 'one', audience: 'stock' }, false, 'audience'],
    [{ scope: 'read' }, true, ''],
  ])('B33: %j, with a definition: %s, is refused for its member: %s', (target, isDefined, member) => {
    const problem = problemOfIdentity(isDefined ? warehouse : profileOf(), identityOf(target), accounts);
    expect(problem?.path ?? '').toBe(member);
  });

  it('B33: an account without accounts in the options is refused', () => {
    const problem = problemOfIdentity(warehouse, identityOf({ account: 'one' }), undefined);
    expect(problem).toMatchObject({ path: 'accounts' });
  });

  it('B33: two identities are equal if their members are, and no member can pass for another', () => {
    expect(keyOf({ account: 'a', scope: 'b' })).toBe(keyOf({ scope: 'b', account: 'a' }));
    expect(keyOf({ account: 'a' })).not.toBe(keyOf({ scope: 'a' }));
    expect(keyOf({ account: 'a","b' })).not.toBe(keyOf({ account: 'a', scope: 'b' }));
  });

  it('B33: the members of a class are refused, because their loss would give the credentials of the pair', () => {
    class Target {
      get account(): string {
        return 'one';
      }
    }
    for (const target of [new Target(), Object.create({ account: 'one' }) as object])
      expect(() => TokenIdentity.of(target)).toThrow(TypeError);
  });

  it('B36 B33: members of a polluted prototype are no members', () => {
    const polluted = { value: 'evil', configurable: true, enumerable: true };
    // eslint-disable-next-line no-extend-native -- what a careless package does
    Object.defineProperty(Object.prototype, 'account', polluted);
    // The matchers of Vitest do not work with such a prototype.
    const identity = TokenIdentity.of({ scope: 'read' });
    const found = [TokenIdentity.of({}), identity?.account, identity?.members.account, identity?.key];
    Reflect.deleteProperty(Object.prototype, 'account');
    expect(found).toEqual([undefined, undefined, undefined, '[null,"read",null,null]']);
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
