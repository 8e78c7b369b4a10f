import { setTimeout as wait } from 'node:timers/promises';
import type { ProviderSimulator } from 'nestjs-provider-auth/testing';
import type { Narrator } from './narrator.js';
import type { Surfaces } from './surfaces.js';

/** Seconds that a token lives here: long enough for a few calls, short enough to watch it expire. */
export const LIFETIME_SECONDS = 5;

/** Plays an outage of the token endpoint, and checks on each surface what is shown of it. */
export async function playOutage(provider: ProviderSimulator, look: Surfaces, say: Narrator): Promise<void> {
  await atFirst(provider, look, say);
  await allIsWell(look, say);
  await outage(provider, look, say);
  await healed(provider, look, say);
  say.step('Nothing that was shown holds a credential or a token');
  const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
  const tokens = provider.tokenRequests.flatMap(({ token }) => token ?? []);
  const secrets = [clientId, clientSecret, ...tokens];
  say.claim(
    `none of ${secrets.length} secrets in ${look.shown.length} characters of health, metrics and logs`,
    !secrets.some((secret) => look.shown.includes(secret)),
  );
}

async function atFirst(provider: ProviderSimulator, look: Surfaces, say: Narrator): Promise<void> {
  say.step('The application has started and nobody has called yet');
  const { status, provider: health } = await look.health();
  say.shows('/health', [`${status} ${JSON.stringify(health)}`]);
  say.claim('healthy, because a token can be had', status === 200 && health['status'] === 'up');
  say.claim('asking for health made no token request', provider.tokenRequests.length === 0);
}

async function allIsWell(look: Surfaces, say: Narrator): Promise<void> {
  say.step('Customers call');
  const calls = [await look.payment(), await look.payment(), await look.payment()];
  const requests = await look.metrics('provider_auth_token_requests_total');
  const cache = await look.metrics('provider_auth_token_cache_total');
  say.shows('/metrics', [...requests, ...cache]);
  say.claim('three calls succeeded', calls.join() === '200,200,200');
  say.claim(
    'one token request, because of a cold start',
    requests.join() === samples.requests({ 'cold ok': 1 }),
  );
  say.claim('one call waited for it, two found the token in memory', cache.join() === samples.cache(1, 2));
}

async function outage(provider: ProviderSimulator, look: Surfaces, say: Narrator): Promise<void> {
  say.step('The token expires while the token endpoint is down');
  provider.token.status(503);
  await wait(LIFETIME_SECONDS * 1000);
  const first = await look.payment();
  const { status, provider: health } = await look.health();
  const others = await Promise.all(Array.from({ length: 100 }, () => look.payment()));
  const requests = await look.metrics('provider_auth_token_requests_total');
  const logs = look.logs();
  say.shows('/health', [`${status} ${JSON.stringify(health)}`]);
  say.shows('/metrics', requests);
  say.shows('logs', logs);
  const easy = health['easy'] as Record<string, unknown>;
  say.claim('customers get 503', first === 503 && others.every((one) => one === 503));
  say.claim('unhealthy, with a code', status === 503 && easy['code'] === 'TOKEN_UNAVAILABLE');
  say.claim('and with the moment of the next try', typeof easy['retryAt'] === 'string');
  const attempts = provider.tokenRequests.length - 1;
  say.claim(
    `${others.length + 1} calls cost ${attempts} requests to the endpoint that is down`,
    attempts >= 3 && attempts <= 15,
  );
  say.claim(
    'each of them counted',
    requests.join() === samples.requests({ 'cold ok': 1, 'expired unavailable': attempts }),
  );
  say.claim('one line in the log, however many calls failed', logs.length === 1);
}

async function healed(provider: ProviderSimulator, look: Surfaces, say: Narrator): Promise<void> {
  say.step('The token endpoint is back');
  const before = provider.tokenRequests.length;
  provider.reset();
  // The first caller after the cool-down finds it healed; nobody restarts anything.
  let payment = await look.payment();
  for (let tries = 0; payment !== 200 && tries < 100; tries += 1) {
    await wait(100);
    payment = await look.payment();
  }
  const { status, provider: health } = await look.health();
  const requests = await look.metrics('provider_auth_token_requests_total');
  const logs = look.logs();
  say.shows('/health', [`${status} ${JSON.stringify(health)}`]);
  say.shows('/metrics', requests);
  say.shows('logs', logs);
  say.claim('customers are served again', payment === 200);
  say.claim('healthy again', status === 200 && health['status'] === 'up');
  say.claim(
    'by one token request, because the last token had expired',
    provider.tokenRequests.length === 1 &&
      requests.join() ===
        samples.requests({ 'cold ok': 1, 'expired unavailable': before - 1, 'expired ok': 1 }),
  );
  say.claim('one line in the log', logs.length === 1);
}

/** Lines as Prometheus gets them. */
const samples = {
  requests: (counts: Record<string, number>): string =>
    Object.entries(counts)
      .map(([labels, count]) => {
        const [reason, outcome] = labels.split(' ');
        return `provider_auth_token_requests_total{reason="${reason}",outcome="${outcome}"} ${count}`;
      })
      .join(),
  cache: (miss: number, memory: number): string =>
    [
      `provider_auth_token_cache_total{result="miss"} ${miss}`,
      `provider_auth_token_cache_total{result="memory"} ${memory}`,
    ].join(),
};
