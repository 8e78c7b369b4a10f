import { setTimeout as wait } from 'node:timers/promises';
import type { ProviderSimulator } from 'nestjs-provider-auth/testing';
import type { StepPrinter } from './step-printer.js';
import type { Surfaces } from './surfaces.js';

/** The lifetime of a token in seconds: long enough for a few calls, and short enough to wait for its end. */
export const LIFETIME_SECONDS = 5;

/** Lets the token endpoint fail for a while, and checks what each surface shows. */
export async function playOutage(
  provider: ProviderSimulator,
  look: Surfaces,
  print: StepPrinter,
): Promise<void> {
  await atFirst(provider, look, print);
  await allIsWell(look, print);
  await outage(provider, look, print);
  await healed(provider, look, print);
  print.step('The output contains no credential and no token');
  const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
  const tokens = provider.tokenRequests.flatMap(({ token }) => token ?? []);
  const secrets = [clientId, clientSecret, ...tokens];
  print.check(
    `none of ${secrets.length} secrets in ${look.shown.length} characters of health, metrics and logs`,
    !secrets.some((secret) => look.shown.includes(secret)),
  );
}

async function atFirst(provider: ProviderSimulator, look: Surfaces, print: StepPrinter): Promise<void> {
  print.step('The application has started, and no call was made yet');
  const { status, provider: health } = await look.health();
  const logs = look.logs();
  print.shows('/health', [`${status} ${JSON.stringify(health)}`]);
  print.shows('logs', logs);
  print.check('one line in the log for each active pair', logs.length === 2);
  print.check('healthy, because a token is available', status === 200 && health['status'] === 'up');
  print.check('the health check made no token request', provider.tokenRequests.length === 0);
}

async function allIsWell(look: Surfaces, print: StepPrinter): Promise<void> {
  print.step('Customers call');
  const calls = [await look.payment(), await look.payment(), await look.payment()];
  const requests = await look.metrics('provider_auth_token_requests_total');
  const cache = await look.metrics('provider_auth_token_cache_total');
  print.shows('/metrics', [...requests, ...cache]);
  print.check('three calls succeeded', calls.join() === '200,200,200');
  print.check(
    'one token request, because of a cold start',
    requests.join() === samples.requests({ 'cold ok': 1 }),
  );
  print.check(
    'one call waited for the token, two calls found it in memory',
    cache.join() === samples.cache(1, 2),
  );
}

async function outage(provider: ProviderSimulator, look: Surfaces, print: StepPrinter): Promise<void> {
  print.step('The token expires while the token endpoint is down');
  provider.token.status(503);
  await wait(LIFETIME_SECONDS * 1000);
  const first = await look.payment();
  const { status, provider: health } = await look.health();
  const others = await Promise.all(Array.from({ length: 100 }, () => look.payment()));
  const requests = await look.metrics('provider_auth_token_requests_total');
  const attempts = provider.tokenRequests.length - 1;
  const logs = look.logs();
  print.shows('/health', [`${status} ${JSON.stringify(health)}`]);
  print.shows('/metrics', requests);
  print.shows('logs', logs);
  const easy = health['easy'] as Record<string, unknown>;
  print.check('customers get 503', first === 503 && others.every((one) => one === 503));
  print.check('unhealthy, with a code', status === 503 && easy['code'] === 'TOKEN_UNAVAILABLE');
  print.check('and with the time of the next attempt', typeof easy['retryAt'] === 'string');
  print.check(
    `${others.length + 1} calls caused ${attempts} requests to the endpoint that is down`,
    attempts >= 3 && attempts <= 15,
  );
  print.check(
    'the metrics count each of these requests: for calls, and for the health check that waits for the end',
    sumOf(requests, 'unavailable') === attempts && sumOf(requests, 'ok') === 1,
  );
  print.check('one line in the log, although many calls failed', logs.length === 1);
}

async function healed(provider: ProviderSimulator, look: Surfaces, print: StepPrinter): Promise<void> {
  print.step('The token endpoint is back');
  const before = provider.tokenRequests.length;
  provider.reset();
  // The first call after the cool-down succeeds. No restart is needed.
  let payment = await look.payment();
  for (let tries = 0; payment !== 200 && tries < 100; tries += 1) {
    await wait(100);
    payment = await look.payment();
  }
  const { status, provider: health } = await look.health();
  const requests = await look.metrics('provider_auth_token_requests_total');
  const logs = look.logs();
  print.shows('/health', [`${status} ${JSON.stringify(health)}`]);
  print.shows('/metrics', requests);
  print.shows('logs', logs);
  print.check('customers get responses again', payment === 200);
  print.check('healthy again', status === 200 && health['status'] === 'up');
  print.check(
    'one token request was enough, because the last token had expired',
    provider.tokenRequests.length === 1 &&
      sumOf(requests, 'unavailable') === before - 1 &&
      sumOf(requests, 'ok') === 2,
  );
  print.check('one line in the log', logs.length === 1);
}

/** The sum of all reasons for a token request. */
function sumOf(lines: readonly string[], outcome: string): number {
  const counts = lines
    .filter((line) => line.includes(`outcome="${outcome}"`))
    .map((line) => line.split(' ').at(-1));
  return counts.reduce((sum, count) => sum + Number(count), 0);
}

/** Lines in the format of Prometheus. */
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
