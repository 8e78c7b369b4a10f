import { describe, expect, it } from 'vitest';
import { sharedCredentials } from '../../../lib/config/shared-secrets.js';
import { validateOptions } from '../../../lib/config/validate-options.js';
import { sameSecretProblem } from '../../../lib/errors/remedies.js';
import { defineProvider } from '../../../lib/index.js';
import { requiredPartsOf } from '../../../lib/testing/any-provider.js';
import { fixedSource } from '../../../lib/config/secret-sources/secret-sources.js';
import { ClientCredential } from '../../../lib/secrets/client-credential.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { refusalRemedy } from '../../../lib/token/endpoint/token-failures.js';
import { profileOf } from '../../support/token/token-fixtures.js';

const pairOf = (of: string, [id, secret]: readonly [string, string], environmentOf: string) => {
  const { names, ...profile } = profileOf();
  const place = `interfaces.${of}.${environmentOf}`;
  return {
    ...profile,
    interface: of,
    environment: environmentOf,
    names: { ...names, clientId: `${place}.clientId`, clientSecret: `${place}.clientSecret` },
    clientId: new Secret(id),
    clientSecret: fixedSource(new ClientCredential(secret)),
  };
};

/** What an error says of a pair after its credentials were refused, in addition to the usual advice. */
function said(
  own: readonly [id: string, secret: string],
  other: readonly [id: string, secret: string],
  environment = 'sandbox',
) {
  const of = environment === 'sandbox' ? 'originations' : 'easy';
  const pair = pairOf('easy', own, 'sandbox');
  const shared = sharedCredentials(pair, [pair, pairOf(of, other, environment)]);
  const refused = { clientId: pair.clientId, clientSecret: pair.clientSecret.atBoot };
  const remedy = refusalRemedy(401, 'invalid_client', refused, { ...pair, ...shared });
  expect(remedy).not.toContain('canary');
  return remedy.slice(0, remedy.indexOf('Check interfaces.')).trim();
}

const EASY = 'interfaces.easy.sandbox';
const OTHER = 'interfaces.originations.sandbox';
const ITS_OWN = 'If each interface has its own credentials, put each in its place.';
const MIXED = 'A client id is not a client secret: put each in its place.';

describe('B35: credentials in the wrong place', () => {
  it('B35: are not suspected without a reason', () => {
    expect(said(['canary-1', 'canary-2'], ['canary-3', 'canary-4'])).toBe('');
    expect(said(['canary-1', 'canary-2'], ['canary-1', 'canary-4'], 'production')).toBe('');
  });

  it('B35: are named if another interface has the same id or the same secret', () => {
    expect(said(['canary-1', 'canary-2'], ['canary-1', 'canary-4'])).toBe(
      `${EASY}.clientId has the same value as ${OTHER}.clientId. ${ITS_OWN}`,
    );
    expect(said(['canary-1', 'canary-2'], ['canary-3', 'canary-2'])).toBe(
      `${EASY}.clientSecret has the same value as ${OTHER}.clientSecret. ${ITS_OWN}`,
    );
  });

  it('B35: are named if the id of one pair is the secret of another, also within an interface', () => {
    expect(said(['canary-4', 'canary-3'], ['canary-3', 'canary-4'])).toBe(
      `${EASY}.clientId has the same value as ${OTHER}.clientSecret. ${MIXED} ` +
        `${EASY}.clientSecret has the same value as ${OTHER}.clientId. ${MIXED}`,
    );
    expect(said(['canary-1', 'canary-3'], ['canary-3', 'canary-4'], 'production')).toBe(
      `${EASY}.clientSecret has the same value as interfaces.easy.production.clientId. ${MIXED}`,
    );
  });

  it('B35: are named if the id of a pair is also its secret', () => {
    expect(said(['canary-1', 'canary-1'], ['canary-3', 'canary-4'])).toContain(
      `${EASY}.clientId has the same value as ${EASY}.clientSecret. ${MIXED}`,
    );
  });
});

describe('one client for two environments of a definition', () => {
  const { catalogue } = requiredPartsOf(
    defineProvider({
      name: 'shared-client',
      environments: ['test', 'live'],
      interfaces: { each: {}, one: { tokenUrlPer: 'interface' } },
    }),
  );
  const tokenUrl = 'https://login.example/token';
  const client = { baseUrl: 'https://api.example', clientId: 'canary-id', clientSecret: 'canary-secret-1' };
  const optionsWith = (live: object) => ({
    environment: 'test',
    interfaces: {
      each: { test: { ...client, tokenUrl }, live: { ...client, tokenUrl, ...live } },
      one: { tokenUrl, test: client, live: { ...client, ...live } },
    },
  });

  it('B31: is right, with the same token URL, and is no reason for advice', async () => {
    const { profiles } = await validateOptions(catalogue, optionsWith({}), {});
    expect(profiles.map((profile) => [profile.tokenUrl, profile.clientId?.reveal()])).toEqual(
      Array.from({ length: 4 }, () => [tokenUrl, 'canary-id']),
    );
    expect(profiles.map(sameSecretProblem)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('B31: another client with the same secret is still a reason for advice', async () => {
    const { profiles } = await validateOptions(catalogue, optionsWith({ clientId: 'canary-other' }), {});
    for (const profile of profiles) expect(sameSecretProblem(profile)).toContain('has the same value as');
  });
});
