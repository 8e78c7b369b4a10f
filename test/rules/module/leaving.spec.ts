import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, expect, it } from 'vitest';
import type { EasyHttpService } from '../../../lib/index.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { given, TRANSPORT } from '../../support/http/given.js';
import { runInTurn } from '../../support/run/run-source.js';
import { errorOf } from '../../support/token/token-fixtures.js';

/** Ten minutes: what waits for a token request does not end by itself within a test. */
const token = { timeoutMs: 600_000 };

interface Way {
  readonly way: string;
  /** The application has a token, which the API refuses. */
  readonly isWarm?: boolean;
  /** @param arrived waits until the token request is under way. */
  readonly leave: (easy: EasyHttpService, arrived: () => Promise<void>) => Promise<unknown>;
}

/** Calls with a signal, which ends them when their token request is under way. */
async function abort(call: (signal: AbortSignal) => Promise<unknown>, arrived: () => Promise<void>) {
  const leaving = new AbortController();
  const left = errorOf(call(leaving.signal));
  await arrived();
  leaving.abort();
  await left;
}

/** Each way in which a caller leaves while a token is requested. */
const WAYS: readonly Way[] = [
  { way: 'timeout', leave: (easy) => errorOf(easy.axiosRef.get('/things', { timeout: 100 })) },
  {
    way: 'signal',
    leave: (easy, arrived) => abort((signal) => easy.axiosRef.get('/things', { signal }), arrived),
  },
  {
    way: 'fetch signal',
    leave: (easy, arrived) => abort((signal) => easy.fetch('/things', { signal }), arrived),
  },
  {
    way: 'unsubscribe',
    leave: async (easy, arrived) => {
      const subscription = easy.get('/things').subscribe();
      await arrived();
      subscription.unsubscribe();
    },
  },
  {
    way: 'signal after a 401',
    isWarm: true,
    leave: (easy, arrived) => abort((signal) => easy.axiosRef.get('/things', { signal }), arrived),
  },
  {
    way: 'one-shot body',
    isWarm: true,
    leave: (easy) => errorOf(easy.axiosRef.post('/things', Readable.from(['x']))),
  },
  {
    way: 'one-shot body of fetch',
    isWarm: true,
    leave: (easy) =>
      easy.fetch('/things', { method: 'POST', body: new Blob(['x']).stream(), duplex: 'half' }),
  },
];

/** From now on, or from the second request on, the token endpoint never answers. Returns the requests under way. */
function hang(provider: ProviderSimulator, isWarm = false): Set<ServerResponse> {
  const open = new Set<ServerResponse>();
  if (isWarm) {
    provider.token.next().regular();
    provider.api.next().unauthorized();
  }
  provider.token.handler((_, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
  });
  return open;
}

it.each(WAYS)('B9: $way: no token request goes on, and none starts', async ({ isWarm, leave }) => {
  let open = new Set<ServerResponse>();
  const { app, easy, provider } = await given()
    .simulator({}, (one) => void (open = hang(one, isWarm)))
    .app({ token })
    .start();
  const arrived = async (): Promise<void> => {
    await expect.poll(() => open.size).toBe(1);
  };
  await leave(easy, arrived);
  await arrived();
  const asked = provider.tokenRequests.length;
  await app.close();
  await expect.poll(() => open.size).toBe(0);
  expect(provider.tokenRequests).toHaveLength(asked);
});

it('B9: the last one leaves after the close: no token request goes on', async () => {
  let open = new Set<ServerResponse>();
  const { app, tokens } = await given()
    .simulator({}, (one) => void (open = hang(one)))
    .app({ token })
    .start();
  const leaving = new AbortController();
  const left = errorOf(tokens.getToken({ signal: leaving.signal }));
  await expect.poll(() => open.size).toBe(1);
  await app.close();
  expect(open.size).toBe(1);
  leaving.abort();
  await left;
  await expect.poll(() => open.size).toBe(0);
});

it('B9: the last one leaves after the close, for a token of an account that was first used then', async () => {
  let open = new Set<ServerResponse>();
  const { app, tokens } = await given()
    .simulator({}, (one) => {
      one.addAccount('late');
      open = hang(one);
    })
    .app({ token })
    .start();
  await app.close();
  const leaving = new AbortController();
  const left = errorOf(tokens.for({ account: 'late' }).getToken({ signal: leaving.signal }));
  await expect.poll(() => open.size).toBe(1);
  leaving.abort();
  await left;
  await expect.poll(() => open.size).toBe(0);
});

// undici waits ten seconds.
it.skipIf(TRANSPORT === 'undici')(
  'B9: an application closes while a call goes on, and the call gets its answer',
  async () => {
    const { app, easy, provider } = await given().app().start();
    const held = provider.api.next().hold();
    const call = easy.axiosRef.get('/things', { timeout: 0 });
    await expect.poll(() => provider.apiRequests).toHaveLength(1);
    await app.close();
    held.release();
    expect((await call).status).toBe(200);
  },
);

interface ProcessTrial {
  /** What the caller of the application does. */
  readonly way: string;
  readonly call: string;
  /** More of the source of the application. */
  readonly settings?: string;
  readonly isWarm?: boolean;
  readonly mostRequests?: number;
}

const BY_TIMEOUT = `easy.axiosRef.get('/things', { timeout: 100 })`;

/** The same ways, in the source of an application. */
const TRIALS: readonly ProcessTrial[] = [
  { way: 'timeout', call: BY_TIMEOUT },
  { way: 'signal', call: `easy.axiosRef.get('/things', { signal: AbortSignal.timeout(100) })` },
  { way: 'fetch signal', call: `easy.fetch('/things', { signal: AbortSignal.timeout(100) })` },
  {
    way: 'one-shot body',
    call: `easy.axiosRef.post('/things', Readable.from(['x']))`,
    isWarm: true,
    mostRequests: 2,
  },
  {
    way: 'timeout, while the function for the secret never answers',
    call: BY_TIMEOUT,
    settings: 'options.interfaces.easy.sandbox.clientSecret = () => new Promise(() => {});',
    mostRequests: 0,
  },
];

const MODULES = `
  import { Readable } from 'node:stream';
  import { NestFactory } from '@nestjs/core';
  import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from './lib/index.ts';
  const trials = JSON.parse(process.env.TRIALS);
  function nextOptions() {
    const { env, ca } = trials.shift();
    Object.assign(process.env, env);
    const options = { ...providerAuthConfig(), token: ${JSON.stringify(token)} };
    options.interfaces.easy.sandbox.tls = { ca };
    return options;
  }
`;

/** Nothing but the work of the library could keep the process alive after `closed`. */
const sourceOf = ({ call, settings = '' }: ProcessTrial): string => `
  const options = nextOptions();
  ${settings}
  const app = await NestFactory.createApplicationContext(ProviderAuthModule.forRoot(options), { logger: false, abortOnError: false });
  const easy = app.get(EasyHttpService);
  await ${call}.catch(() => console.log('left'));
  await app.close();
  console.log('closed');
`;

const providers = await Promise.all(TRIALS.map(() => ProviderSimulator.start()));
afterAll(() => Promise.all(providers.map((provider) => provider.close())));
for (const [index, { isWarm }] of TRIALS.entries()) hang(providers[index] as ProviderSimulator, isWarm);
const trials = providers.map((provider) => ({ env: provider.env(), ca: provider.ca }));
const printed = await runInTurn(MODULES, TRIALS.map(sourceOf), { TRIALS: JSON.stringify(trials) });

it.each(TRIALS.map((trial, index) => ({ ...trial, index })))(
  'B9: the process of an application that closes ends after its caller has left: $way',
  ({ index, mostRequests = 1 }) => {
    expect(printed[index]).toBe('left\nclosed\n');
    expect(providers[index]?.tokenRequests.length).toBeLessThanOrEqual(mostRequests);
  },
);
