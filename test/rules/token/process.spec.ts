import { afterAll, expect, it } from 'vitest';
import type { TokenOptions } from '../../../lib/config/options/provider-auth-options.js';
import { ProviderSimulator, type ProviderSimulatorOptions } from '../../../lib/testing/index.js';
import { runInTurn } from '../../support/run/run-source.js';

/** Ten minutes: what waits for this deadline does not exit by itself within a test. */
const FOREVER_MS = 600_000;

interface Trial {
  readonly name: string;
  readonly simulator?: ProviderSimulatorOptions;
  readonly script?: (provider: ProviderSimulator) => unknown;
  readonly token?: TokenOptions;
  /** Runs in a process where `tokens` is a token provider. The process ends when nothing keeps it alive. */
  readonly body: string;
  readonly prints: string;
  readonly requests?: number;
}

/** The first token lives for a minute, and the next token request gets no response. */
const HANGING_RENEWAL = {
  simulator: { lifetimeSeconds: 60 },
  script: (provider: ProviderSimulator) => {
    provider.token.next().regular();
    provider.token.hang();
  },
};

const TRIALS: readonly Trial[] = [
  {
    name: 'exits by itself with renewing ahead on',
    token: { renewAheadMs: 60_000 },
    body: `await tokens.getToken(); tokens.useIfValid(); console.log('done');`,
    prints: 'done\n',
  },
  {
    name: 'exits by itself in a cool-down',
    script: (provider) => provider.token.retryAfter(3_000),
    body: `await tokens.getToken().catch((error) => console.log(error.code)); await tokens.getToken().catch(() => {});`,
    prints: 'TOKEN_UNAVAILABLE\n',
  },
  {
    name: 'exits by itself at the deadline of a request that no caller waits for',
    ...HANGING_RENEWAL,
    token: { renewAheadMs: 60_000, timeoutMs: 500, maxAttempts: 1 },
    body: `await tokens.getToken(); skip += 45_000; tokens.useIfValid(); console.log('asked');`,
    prints: 'asked\n',
    requests: 2,
  },
  {
    name: 'exits by itself with a renewal under way when it is closed',
    ...HANGING_RENEWAL,
    token: { renewAheadMs: 60_000, timeoutMs: FOREVER_MS },
    body: `await tokens.getToken(); skip += 45_000; tokens.useIfValid(); await passed(1_000); tokens.close(); console.log('closed');`,
    prints: 'closed\n',
    requests: 2,
  },
  {
    name: 'lives as long as a caller waits for an answer',
    script: (provider) => provider.token.delay(700),
    body: `void tokens.getToken().then(() => console.log('got it'));`,
    prints: 'got it\n',
  },
  {
    name: 'lives as long as a caller waits for another attempt',
    script: (provider) => provider.token.next().retryAfter(1),
    body: `void tokens.getToken().then(() => console.log('got it'));`,
    prints: 'got it\n',
  },
  {
    name: 'lives as long as a caller waits for the deadline',
    script: (provider) => provider.token.hang(),
    token: { timeoutMs: 500, maxAttempts: 1 },
    body: `void tokens.getToken().catch((error) => console.log(error.code));`,
    prints: 'TOKEN_UNAVAILABLE\n',
  },
  {
    name: 'lives as long as a caller waits for a renewal that began in the background',
    simulator: { lifetimeSeconds: 60 },
    script: (provider) => {
      provider.token.next().regular();
      provider.token.after(3_000).lifetime(60);
    },
    token: { renewAheadMs: 60_000, timeoutMs: FOREVER_MS },
    body: `await tokens.getToken(); skip += 45_000; tokens.useIfValid(); await passed(600); skip += 20_000;
      void tokens.getToken().then(() => console.log('got it'));`,
    prints: 'got it\n',
  },
  {
    name: 'sees no unhandled rejection when renewing ahead fails, or a caller looks away',
    simulator: { lifetimeSeconds: 60 },
    script: (provider) => {
      provider.token.next().regular();
      provider.token.refuse('invalid_client');
    },
    token: { renewAheadMs: 60_000 },
    body: `const first = await tokens.getToken(); skip += 45_000; tokens.useIfValid();
      while (tokens.status().lastError === undefined) await passed(10); skip += 20_000;
      void tokens.getToken(); void tokens.renew(first);
      await passed(100); console.log(tokens.status().state);`,
    prints: 'failing\n',
  },
];

const MODULES = `
  import { Agent } from 'node:https';
  import { Logger } from '@nestjs/common';
  import { validateOptions } from './test/support/application/built-in.js';
  import { systemClock } from './lib/time/clock.js';
  import { createTokenProvider } from './lib/token/create-token-provider.js';
  Logger.overrideLogger(false);
  const passed = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const trials = JSON.parse(process.env.TRIALS);
  let skip = 0;
  const wall = () => systemClock.wall() + skip;
  const monotonic = () => systemClock.monotonic() + skip;
  let last;
  async function nextProvider() {
    // A renewal in the background would go on while the next trial runs.
    last?.close();
    const { options, ca } = trials.shift();
    const settings = await validateOptions({ ...options, http: { httpsAgent: new Agent({ ca }) } }, {});
    last = createTokenProvider(settings.profiles[0], settings, { ...systemClock, wall, monotonic });
    return last;
  }
`;

const providers = await Promise.all(TRIALS.map(({ simulator }) => ProviderSimulator.start(simulator)));
afterAll(() => Promise.all(providers.map((provider) => provider.close())));
for (const [index, { script }] of TRIALS.entries()) script?.(providers[index] as ProviderSimulator);
const trials = providers.map((provider, index) => {
  const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
  const sandbox = {
    tokenUrl: provider.tokenUrl('easy', 'sandbox'),
    baseUrl: provider.baseUrl('easy', 'sandbox'),
    clientId,
    clientSecret,
  };
  const { token } = TRIALS[index] as Trial;
  return {
    ca: provider.ca,
    options: { environment: 'sandbox', interfaces: { easy: { sandbox } }, token },
  };
});
const printed = await runInTurn(
  MODULES,
  TRIALS.map(({ body }) => `const tokens = await nextProvider(); ${body}`),
  { NODE_OPTIONS: '--unhandled-rejections=strict', TRIALS: JSON.stringify(trials) },
);

it.each(TRIALS.map((trial, index) => ({ ...trial, index })))(
  'B9: a process $name',
  ({ index, prints, requests = expect.any(Number) as number }) => {
    expect([printed[index], providers[index]?.tokenRequests.length]).toEqual([prints, requests]);
  },
);
