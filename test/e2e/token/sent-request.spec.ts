import { expect, it, onTestFinished, vi } from 'vitest';
import { Secret } from '../../../lib/secrets/secret.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { systemClock } from '../../../lib/time/clock.js';
import { TokenEndpoint } from '../../../lib/token/endpoint/token-endpoint.js';
import { TokenConnections } from '../../../lib/token/endpoint/token-connections.js';
import { blackHole } from '../../support/http/black-hole.js';
import { ConnectProxy } from '../../support/http/connect-proxy.js';
import { errorOf, profileOf } from '../../support/token/token-fixtures.js';

/** A token endpoint that takes long, or that no packet reaches. */
async function givenEndpoint({ proxyPort }: { proxyPort?: number } = {}) {
  const provider = await ProviderSimulator.start();
  onTestFinished(() => provider.close());
  provider.token.hang();
  const profile = profileOf({ tokenUrl: provider.tokenUrl('easy', 'sandbox') });
  const endpoint = new TokenEndpoint(
    profile,
    {
      httpsAgent: provider.agent(),
      proxy: proxyPort !== undefined && { protocol: 'http', host: '127.0.0.1', port: proxyPort },
    },
    systemClock,
    new TokenConnections(),
  );
  return { provider, endpoint, profile };
}

it.each(['awaited', 'background'] as const)(
  'B10: a request says that it has reached the token endpoint before the answer comes: %s',
  async (kind) => {
    const { provider, endpoint } = await givenEndpoint();
    const onSent = vi.fn<() => void>();
    const ended = new AbortController();
    const failed = errorOf(endpoint.request(new Secret('x'), 60_000, { kind, onSent, signal: ended.signal }));
    await expect.poll(() => onSent.mock.calls.length, { timeout: 20_000 }).toBe(1);
    await expect.poll(() => provider.tokenRequests.length, { timeout: 20_000 }).toBe(1);
    ended.abort();
    await failed;
    expect(onSent).toHaveBeenCalledTimes(1);
  },
);

it('B10: a request says so through a proxy, too', async () => {
  const { port } = await ConnectProxy.start();
  const { endpoint } = await givenEndpoint({ proxyPort: port });
  const onSent = vi.fn<() => void>();
  const ended = new AbortController();
  const failed = errorOf(endpoint.request(new Secret('x'), 60_000, { onSent, signal: ended.signal }));
  await expect.poll(() => onSent.mock.calls.length, { timeout: 20_000 }).toBe(1);
  ended.abort();
  await failed;
});

it('B10: a request whose packets are lost on the way never says so, also not when it ends', async () => {
  const port = await blackHole();
  const direct = new TokenEndpoint(
    profileOf({ tokenUrl: `https://127.0.0.1:${port}/token` }),
    { httpsAgent: undefined, proxy: false },
    systemClock,
    new TokenConnections(),
  );
  const { endpoint: behindProxy } = await givenEndpoint({ proxyPort: port });
  const onSent = vi.fn<() => void>();
  for (const endpoint of [direct, behindProxy])
    await errorOf(endpoint.request(new Secret('x'), 300, { onSent }));
  await new Promise(setImmediate);
  expect(onSent).not.toHaveBeenCalled();
});
