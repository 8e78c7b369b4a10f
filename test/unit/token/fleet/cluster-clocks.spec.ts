import { expect, it } from 'vitest';
import type { TokenStore } from '../../../../lib/config/options/token-store.js';
import { MemoryTokenStore } from '../../../../lib/testing/index.js';
import { createTokenProvider } from '../../../../lib/token/create-token-provider.js';
import { FakeClock } from '../../../support/token/fake-clock.js';
import { MINUTE, profileOf, tokenOf, Watched } from '../../../support/token/token-fixtures.js';

const SETTINGS = {
  token: { timeoutMs: 5_000, maxAttempts: 3, expiryLeewayMs: 0, renewAheadMs: 0 },
  http: { httpsAgent: undefined, proxy: undefined },
};

it('F8: a process keeps a clock for each entry, because each node of a cluster has its own clock', async () => {
  const clock = new FakeClock();
  const nodes = new Map<string, MemoryTokenStore>();
  /** Each entry lies on another node, and the clocks of the nodes are minutes apart. */
  const nodeOf = (name: string): MemoryTokenStore => {
    const aheadMs = nodes.size * 5 * MINUTE;
    const node = nodes.get(name) ?? new MemoryTokenStore(() => clock.wall() + aheadMs);
    nodes.set(name, node);
    return node;
  };
  const requests = new Map<string, number>();
  const profiles = (['sandbox', 'production'] as const).map((environment) =>
    profileOf({ environment, tokenUrl: `https://${environment}.example.com/auth/v0/connect/token` }),
  );
  /** One process: both profiles share its store. */
  const started = () => {
    const store: TokenStore = {
      claim: async (claim) => nodeOf(claim.name).claim(claim),
      publish: async (publication) => nodeOf(publication.name).publish(publication),
      release: async (release) => nodeOf(release.name).release(release),
    };
    return profiles.map((profile) => {
      const request = async () => {
        requests.set(profile.tokenUrl, (requests.get(profile.tokenUrl) ?? 0) + 1);
        await new Promise<void>((resolve) => clock.after(1_000, resolve, 'awaited'));
        return tokenOf(clock, `token-${profile.environment}`, MINUTE);
      };
      return createTokenProvider(
        profile,
        { ...SETTINGS, store },
        clock,
        () => 0.5,
        () => ({ request }),
      );
    });
  };
  const asked = [started(), started(), started()].flat().map((tokens) => new Watched(tokens.getToken()));
  await clock.advance(2_000);
  expect(asked.map(({ state }) => state)).toEqual(asked.map(() => 'given'));
  expect([...requests.values()]).toEqual([1, 1]);
});
