import { describe, expect, it } from 'vitest';
import { Secret } from '../../../lib/secrets/secret.js';
import { FleetPlace } from '../../../lib/token/fleet/place.js';
import { identifiedProfile } from '../../../lib/token/accounts.js';
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

  it('B33: two identities are equal if their members are, and no member can pass for another', () => {
    expect(keyOf({ account: 'a', scope: 'b' })).toBe(keyOf({ scope: 'b', account: 'a' }));
    expect(keyOf({ account: 'a' })).not.toBe(keyOf({ scope: 'a' }));
    expect(keyOf({ account: 'a' })).not.toBe(keyOf({ account: 'a', scope: 'a' }));
    expect(keyOf({ account: 'a","b' })).not.toBe(keyOf({ account: 'a', scope: 'b' }));
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
