import { Axios } from 'axios';
import axiosRetry from 'axios-retry';
import { firstValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import type { ProviderAuthOptions } from '../../../lib/index.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { runs, seed } from '../../support/run/runs.js';
import { seededRandom } from '../../support/token/outage-trial.js';
import { given, type RunningApp } from '../../support/http/given.js';
import { letTimePass } from '../../support/http/mounted-secret.js';
import { CanaryScanner } from '../../support/secrets/canary-scanner.js';
import { loggerRenderings } from '../../support/secrets/logger-renderings.js';
import { canariesOf } from '../../support/secrets/simulated-canaries.js';
import { errorOf } from '../../support/token/token-fixtures.js';
import { eventsOf } from '../../support/token/events.js';

type Script = (provider: ProviderSimulator) => void;

function start(script: Script = () => {}, options: Partial<ProviderAuthOptions> = {}): Promise<RunningApp> {
  return given()
    .simulator({}, (provider) => {
      for (const account of ['one', 'two']) provider.addAccount(account);
      script(provider);
    })
    .app(options)
    .start();
}

function accountsOf({ apiRequests }: ProviderSimulator): (string | undefined)[] {
  return apiRequests.map(({ status, account }) => `${account} ${status}`);
}

const ONE = { account: 'one' };
const TWO = { account: 'two' };

it.each<[string, (easy: RunningApp['easy']) => Promise<unknown>]>([
  ['post', (easy) => firstValueFrom(easy.post('/x', { a: 1 }))],
  ['axiosRef() with a config', ({ axiosRef }) => axiosRef({ url: '/x', method: 'put', data: 'text' })],
  ['a stream', ({ axiosRef }) => axiosRef.get('/x', { maxRedirects: 3 })],
  ['fetch', (easy) => easy.fetch('/x')],
])(
  'B33: a client for an account sends its token by %s, and the token of the pair without for',
  async (_, call) => {
    const { easy, provider } = await start();
    for (const client of [easy.for(ONE), easy, easy.for(TWO), easy.for(ONE), easy]) await call(client);
    expect(accountsOf(provider)).toEqual(['one 200', 'undefined 200', 'two 200', 'one 200', 'undefined 200']);
    expect(provider.tokenRequests.map(({ account }) => account)).toEqual(['one', undefined, 'two']);
  },
);

it('B33: a client for an account shares interceptors, defaults and base URL with the pair', async () => {
  const { easy, provider } = await start();
  const face = easy.for(ONE);
  expect(face).toBeInstanceOf(easy.constructor);
  expect(face.baseUrl).toBe(easy.baseUrl);
  expect(face.axiosRef.interceptors).toBe(easy.axiosRef.interceptors);
  expect(face.axiosRef.defaults).toBe(easy.axiosRef.defaults);
  face.axiosRef.interceptors.request.use((config) => {
    config.headers.set('x-of', 'all');
    return config;
  });
  await easy.axiosRef.get('/x');
  await face.axiosRef.get('/x');
  expect(provider.apiRequests.map(({ headers }) => headers['x-of'])).toEqual(['all', 'all']);
  expect(accountsOf(provider)).toEqual(['undefined 200', 'one 200']);
});

it('B33: a client for an account keeps its token if an interceptor returns a copy of the config, and is not sent if it picks members', async () => {
  const { easy, provider } = await start();
  const { request } = easy.axiosRef.interceptors;
  const copying = request.use((config) => ({ ...config }));
  await easy.for(ONE).axiosRef.get('/copied');
  request.eject(copying);
  request.use(({ url = '', method = '', baseURL = '', headers }) => ({ url, method, baseURL, headers }));
  expect(await errorOf(easy.for(ONE).axiosRef.get('/picked'))).toMatchObject({
    message: expect.stringContaining('without the account of the call') as string,
  });
  await easy.axiosRef.get('/picked');
  expect(accountsOf(provider)).toEqual(['one 200', 'undefined 200']);
});

it('B33: a client for an account has each method of an axios instance that sends, so that none sends the token of the pair', async () => {
  const { easy } = await start();
  const others = ['create', 'getUri'];
  const methods = [easy.axiosRef, Object.getPrototypeOf(easy.axiosRef) as object, Axios.prototype]
    .flatMap((owner) => Object.entries(Object.getOwnPropertyDescriptors(owner)))
    .filter(([name, { value }]) => typeof value === 'function' && /^[a-z][A-Za-z]+$/.test(name))
    .map(([name]) => name)
    .filter((name) => !others.includes(name) && !Object.hasOwn(Object.prototype, name))
    .filter((name) => !Object.hasOwn(Function.prototype, name) && !name.startsWith('_'));
  expect(methods).toContain('patchForm');
  const face = easy.for(ONE).axiosRef;
  expect(methods.filter((name) => !Object.hasOwn(face, name))).toEqual([]);
});

it('B33: a client for an account adds to the members of the client before, and replaces them', async () => {
  const { easy, provider, tokens } = await start();
  await easy.for(ONE).for(TWO).axiosRef.get('/x');
  await easy.for(ONE).for({}).fetch('/x');
  await tokens.for(TWO).for(ONE).getToken();
  expect(accountsOf(provider)).toEqual(['two 200', 'one 200']);
  expect(provider.tokenRequests).toHaveLength(2);
});

it('B33: a client for an account without members is the same client', async () => {
  const { easy, tokens } = await start();
  expect([easy.for({}), tokens.for({})]).toEqual([easy, tokens]);
  expect(easy.for({})).toBe(easy);
});

it('B33: a client for an account takes names that differ in case only as two names', async () => {
  const { easy, provider } = await start((one) => one.addAccount('ONE'));
  await easy.for(ONE).fetch('/x');
  await easy.for({ account: 'ONE' }).fetch('/x');
  expect(accountsOf(provider)).toEqual(['one 200', 'ONE 200']);
});

it('B33: a client for an account names the account in the error of a request that was refused', async () => {
  const { easy } = await start();
  const error = await errorOf(easy.for(ONE).axiosRef.get('https://other.example/'));
  expect(error).toMatchObject({ code: 'OUTSIDE_BASE_URL', account: 'one' });
  expect(String(error)).toContain('A request to easy sandbox, account one was not sent');
  const unsupported = await errorOf(easy.for(ONE).axiosRef.get('/x', { maxRate: 1 }));
  expect(unsupported).toMatchObject({ code: 'OPTION_NOT_SUPPORTED', account: 'one' });
  expect(await errorOf(easy.axiosRef.get('https://other.example/'))).not.toHaveProperty('account');
});

it('B33: a client for an account renews the token of the account that was refused, and no other', async () => {
  const { easy, provider } = await start();
  await easy.fetch('/x');
  await easy.for(TWO).fetch('/x');
  await easy.for(ONE).fetch('/x');
  provider.token.revoke(provider.tokenRequests.at(-1)?.token ?? '');
  for (const client of [easy.for(ONE), easy.for(TWO), easy]) await client.axiosRef.get('/x');
  expect(accountsOf(provider).slice(3)).toEqual(['one 401', 'one 200', 'two 200', 'undefined 200']);
  expect(provider.tokenRequests.map(({ account }) => account)).toEqual([undefined, 'two', 'one', 'one']);
});

it('B33: a client for an account keeps its account in calls that a companion sends again by the client of the pair', async () => {
  const { easy, provider } = await start(({ api }) => api.next(2).status(503));
  axiosRetry(easy.axiosRef, { retries: 3, retryDelay: () => 1 });
  await easy.for(ONE).axiosRef.get('/x');
  const error = await errorOf(easy.for(TWO).axiosRef.get('/x', { validateStatus: () => false }));
  await easy.axiosRef.request({ ...(error as { config: object }).config, validateStatus: null });
  expect(accountsOf(provider)).toEqual(['one 503', 'one 503', 'one 200', 'two 200', 'two 200']);
});

it('B33: no value in a config but that of for chooses an account, and none means the pair by mistake', async () => {
  const { easy, provider } = await start();
  for (const value of ['one', { account: 'one' }, null, JSON.parse('{"account":"one"}') as unknown])
    expect(await errorOf(easy.axiosRef.get('/x', { _tokenIdentity: value } as object))).toBeInstanceOf(
      TypeError,
    );
  expect(provider.apiRequests).toEqual([]);
});

it('B33: an unknown account has its own code, and is remembered for a second at most', async () => {
  const { easy, tokens, provider } = await start();
  const error = await errorOf(tokens.for({ account: 'three' }).getToken());
  expect(error).toMatchObject({ code: 'ACCOUNT_UNKNOWN', account: 'three' });
  expect((error as Error).message).toContain('easy sandbox, account three');
  expect(await errorOf(easy.for({ account: 'three' }).fetch('/x'))).toMatchObject({
    code: 'ACCOUNT_UNKNOWN',
  });
  provider.addAccount('three');
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  expect((await easy.for({ account: 'three' }).fetch('/x')).status).toBe(200);
  expect(provider.tokenRequests).toHaveLength(1);
});

it('B33: without accounts in the options its calls are refused, with the name of the option', async () => {
  const { easy, provider } = await start(() => {}, { accounts: undefined });
  const expected = { code: 'NOT_CONFIGURED', message: expect.stringContaining('accounts') };
  expect(await errorOf(easy.for(ONE).axiosRef.get('/x'))).toMatchObject(expected);
  expect(await errorOf(easy.for(ONE).fetch('/x'))).toMatchObject(expected);
  expect(provider.tokenRequests).toEqual([]);
  await easy.fetch('/x');
});

it.each(['scope', 'audience', 'resource'])(
  'B33: %s is refused for the built-in provider, whose document has none',
  async (term) => {
    const { easy } = await start();
    expect(await errorOf(easy.for({ [term]: 'a' }).axiosRef.get('/x'))).toMatchObject({
      code: 'NOT_CONFIGURED',
      message: expect.stringContaining(term),
    });
  },
);

it.each<[string, () => unknown, RegExp]>([
  [
    'throws',
    () => {
      throw new Error('canary-text');
    },
    /throws or rejects/,
  ],
  ['gives a text', () => 'canary-text', /must return an object/],
  ['gives no client id', () => ({ clientSecret: 'canary' }), /clientId which is missing/],
  ['gives no secret', () => ({ clientId: 'canary' }), /clientSecret that accounts returns is missing/],
])('B33: a loader that %s fails the calls of this account with advice', async (_, accounts, message) => {
  const { easy, provider } = await start(() => {}, { accounts: accounts as never });
  const error = await errorOf(easy.for(ONE).fetch('/x'));
  expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE', message: expect.stringMatching(message) });
  expect((error as Error).message).toMatch(/accounts/);
  expect(JSON.stringify(error) + (error as Error).message).not.toContain('canary');
  expect(provider.tokenRequests).toEqual([]);
  expect((await easy.fetch('/x')).status).toBe(200);
});

it('B33: the loader is asked for each token request, once for all callers, and once more after a refusal', async () => {
  const asked: string[] = [];
  const { easy, provider } = await start(() => {}, {
    accounts: (account, pair) => {
      asked.push(`${account} ${pair.interface} ${pair.environment}`);
      return provider.credentials('easy', 'sandbox', account);
    },
  });
  await Promise.all(Array.from({ length: 50 }, () => easy.for(ONE).fetch('/x')));
  await easy.for(ONE).axiosRef.get('/x');
  expect(asked).toEqual(['one easy sandbox']);
  provider.token.refuse('invalid_client');
  provider.token.revokeAll();
  await errorOf(easy.for(ONE).axiosRef.get('/x'));
  expect(asked).toHaveLength(3);
});

it('B33: a failing account counts as failing and not as a token, changes neither state nor health of the pair, and is in the log by its name', async () => {
  const { easy, status, tokens, provider, logs } = await start();
  provider.rotateSecret('easy', 'sandbox', 'another', 'one');
  const options = provider.options();
  expect(options.accounts).toBeTypeOf('function');
  await easy.fetch('/x');
  await errorOf(easy.for({ account: 'three' }).fetch('/x'));
  await easy.for(TWO).fetch('/x');
  const [pair] = status.status().filter(({ active, interface: name }) => active && name === 'easy');
  expect(pair).toMatchObject({ state: 'valid', accounts: { tokens: 1, failing: 1 } });
  expect(tokens.for({ account: 'three' }).status()).toMatchObject({ state: 'failing' });
  expect(tokens.for(ONE).status()).toMatchObject({ state: 'empty', active: true });
  expect(tokens.status().accounts).toEqual({ tokens: 1, failing: 1 });
  expect(logs.linesAboutTrouble()[0]).toContain('easy sandbox, account three');
});

it('B33: an API that refuses every token of one account makes the pair neither fail nor pause', async () => {
  const { easy, status, provider } = await start();
  await easy.fetch('/x');
  provider.api.path('/bad').unauthorized();
  for (let call = 0; call < 8; call += 1) {
    await easy.for(ONE).fetch('/bad');
    letTimePass(5_000);
  }
  const [pair] = status.status().filter(({ active, interface: name }) => active && name === 'easy');
  expect([pair?.state, pair?.apiError]).toEqual(['valid', undefined]);
  provider.token.revokeAll();
  expect((await easy.fetch('/x')).status).toBe(200);
});

it('B33 S10: the credentials of an account are in no error, log line or status', async () => {
  const { easy, status, provider, logs } = await start(({ token }) => token.refuse('invalid_client'));
  const errors = [
    await errorOf(easy.for(ONE).fetch('/x')),
    await errorOf(easy.for(ONE).axiosRef.get('/x')),
    await errorOf(firstValueFrom(easy.for(ONE).get('/x'))),
  ];
  const canaries = canariesOf(provider.credentials('easy', 'sandbox', 'one'), provider.tokenRequests);
  const scanner = new CanaryScanner(Object.fromEntries(canaries), loggerRenderings);
  expect(errors.map((error) => (error as { code: string }).code)).toEqual(
    Array.from({ length: 3 }, () => 'TOKEN_REJECTED'),
  );
  expect(scanner.scan({ errors, logs: logs.lines, status: status.status(), face: easy.for(ONE) })).toEqual(
    [],
  );
});

it('B33: events have the account', async () => {
  const { easy } = await start();
  const seen = ['token-request', 'token-cache'].map((name) => eventsOf<{ account?: string }>(name));
  await easy.for(ONE).fetch('/x');
  await easy.fetch('/x');
  for (const events of seen) expect(events.map(({ account }) => account)).toEqual(['one', undefined]);
});

it('B33: an event about the state of an account does not pass for one about the pair', async () => {
  const { easy } = await start();
  const seen = eventsOf('provider-state');
  await errorOf(easy.for({ account: 'three' }).fetch('/x'));
  expect(seen).toMatchObject([{ account: 'three', state: 'failing', code: 'ACCOUNT_UNKNOWN' }]);
});

it(
  'B33: in random calls of many accounts over real connections, no request has the token of another account',
  { timeout: 300_000 },
  async () => {
    const names = Array.from({ length: 200 }, (_, index) => `merchant ${index}`);
    const { easy, provider } = await start(
      (one) => {
        for (const name of names) one.addAccount(name);
      },
      { token: { maxAccounts: 120, timeoutMs: 60_000 } },
    );
    const played = seed();
    const random = seededRandom(played);
    const callOf = (index: number): Promise<unknown> => {
      const account = names[Math.floor(random() * names.length)] ?? '';
      const client = index % 10 === 0 ? easy : easy.for({ account });
      const path = `/of/${index % 10 === 0 ? 'pair' : encodeURIComponent(account)}`;
      if (index % 3 === 0) return client.fetch(path).then((answer) => answer.text());
      return index % 3 === 1 ? client.axiosRef.get(path) : firstValueFrom(client.get(path));
    };
    for (let round = 0; round < runs(5); round += 1) {
      const calls = Array.from({ length: 50 }, (_, index) => callOf(index));
      if (round % 3 === 0) provider.token.revokeAll();
      await Promise.all(calls);
    }
    const sent = provider.apiRequests.filter(({ status }) => status === 200);
    const crossed = sent.filter(
      ({ path, account = 'pair' }) => !path.endsWith(`/of/${encodeURIComponent(account)}`),
    );
    expect(crossed, `TEST_SEED=${played}`).toEqual([]);
    expect(new Set(sent.map(({ account }) => account)).size, `TEST_SEED=${played}`).toBeGreaterThan(100);
  },
);
