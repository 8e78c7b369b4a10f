import { describe, expect, it } from 'vitest';
import { validateOptions } from '../../../lib/config/validate-options.js';
import { sameSecretProblem } from '../../../lib/errors/troubles.js';
import { defineProvider } from '../../../lib/index.js';
import { requiredPartsOf } from '../../../lib/testing/any-provider.js';

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
