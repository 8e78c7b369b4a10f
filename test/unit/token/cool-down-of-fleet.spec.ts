import { expect, it } from 'vitest';
import { Secret } from '../../../lib/secrets/secret.js';
import { MemoryTokenStore } from '../../../lib/testing/index.js';
import { createTokenProvider } from '../../../lib/token/create-token-provider.js';
import type { TokenRequests } from '../../../lib/token/endpoint/token-endpoint.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { failureOf, HOUR, MINUTE, profileOf, tokenOf, Watched } from '../../support/token/token-fixtures.js';

const SETTINGS = {
  token: { timeoutMs: 5_000, maxAttempts: 3, expiryLeewayMs: 0, renewAheadMs: 0 },
  http: { httpsAgent: undefined, proxy: undefined },
};

it('B10: a cool-down ends when another process has obtained a token', async () => {
  const clock = new FakeClock();
  const shared = new MemoryTokenStore(() => clock.wall());
  let isLimited = true;
  const request: TokenRequests['request'] = async () => {
    if (isLimited) throw failureOf('TOKEN_UNAVAILABLE', { status: 429, retryAfterMs: HOUR });
    return tokenOf(clock, 'token', MINUTE);
  };
  /** A separate process. Each has its own store object, because a guard belongs to one store object. */
  const started = () => {
    const store = {
      claim: shared.claim.bind(shared),
      publish: shared.publish.bind(shared),
      release: shared.release.bind(shared),
    };
    return createTokenProvider(
      profileOf(),
      { ...SETTINGS, store },
      clock,
      () => 0.5,
      () => ({ request }),
    );
  };
  const [limited, other] = [started(), started()];
  const ask = async (tokens: ReturnType<typeof started>) => {
    const asked = new Watched(tokens.getToken());
    await clock.advance(3_000);
    return asked;
  };
  expect((await ask(limited)).state).toBe('failed');
  isLimited = false;
  expect((await ask(other)).state).toBe('given');
  expect((await ask(limited)).state).toBe('given');
  await clock.advance(2 * MINUTE);
  expect((await ask(limited)).state).toBe('given');
});

it('B7: with a store too, a source that gives another wrong secret at each reading costs few token requests', async () => {
  const clock = new FakeClock();
  let readings = 0;
  let requests = 0;
  const clientSecret = { read: async () => new Secret(`wrong ${(readings += 1)}`) };
  const request: TokenRequests['request'] = async () => {
    requests += 1;
    throw failureOf('TOKEN_REJECTED');
  };
  const tokens = createTokenProvider(
    profileOf({ clientSecret }),
    { ...SETTINGS, store: new MemoryTokenStore(() => clock.wall()) },
    clock,
    () => 0.5,
    () => ({ request }),
  );
  for (let passed = 0; passed < 20_000; passed += 50) {
    tokens.getToken().catch(() => {});
    await clock.advance(50);
  }
  // As without a store.
  expect(requests).toBeGreaterThan(4);
  expect(requests).toBeLessThanOrEqual(14);
});
