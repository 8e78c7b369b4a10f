import { inspect, types } from 'node:util';
import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { BUILT_IN } from '../../../lib/module/built-in.js';
import { connect, unconfigured } from '../../../lib/module/client.js';
import { HTTP_DEFAULTS, StubAdapter } from '../../support/http/http-client.js';
import { eventsOf } from '../../support/token/events.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { failureOf, profileOf, TOKEN_SETTINGS, tokenOf } from '../../support/token/token-fixtures.js';

const token = { ...TOKEN_SETTINGS, maxAttempts: 1 };

/** A client whose token endpoint works or refuses, and whose API answers each path with the status that it names. */
function givenClient(isRefusing: boolean) {
  const clock = new FakeClock();
  const stub = new StubAdapter();
  stub.respond = (config) => {
    const status = Number(config.url?.slice(1));
    return { data: { status: [status] }, status, statusText: '', headers: { 'x-of': 'API' }, config };
  };
  const transport = { open: () => ({ adapter: stub.adapter, close: () => Promise.resolve() }) };
  const http = { ...HTTP_DEFAULTS, transport };
  let asked = 0;
  const request = () => {
    asked += 1;
    return isRefusing
      ? Promise.reject(failureOf('TOKEN_REJECTED'))
      : Promise.resolve(tokenOf(clock, `${asked}`));
  };
  const doubles = { endpointOf: () => ({ request }), isMock: () => true };
  const profile = profileOf({ baseUrl: 'https://api.example.com' });
  const client = connect(profile, { profiles: [profile], token, http }, clock, doubles);
  const settings = { catalogue: BUILT_IN.catalogue, profiles: [profile], token, http };
  const missing = unconfigured({ interface: 'easy', environment: 'production' }, settings);
  return { client, missing };
}

type Clients = ReturnType<typeof givenClient>;

/** All ways to get an object from this package. */
const WAYS: Readonly<Record<string, (clients: Clients) => unknown>> = {
  getToken: ({ client }) => client.tokens.getToken(),
  'getToken with a signal': ({ client }) => client.tokens.getToken({ signal: new AbortController().signal }),
  renew: async ({ client }) => client.tokens.renew(await client.tokens.getToken()),
  axios: ({ client }) => client.http.axiosRef.get('/200'),
  'axios with an interceptor': ({ client }) => {
    client.http.axiosRef.interceptors.response.use(undefined, (error: unknown) => {
      throw error;
    });
    return client.http.axiosRef.get('/200');
  },
  'axios, general path': ({ client }) => client.http.axiosRef.get('/200', { maxRedirects: 1 }),
  'an error of the API': ({ client }) => client.http.axiosRef.get('/404'),
  'a 401': ({ client }) => client.http.axiosRef.get('/401'),
  fetch: ({ client }) => client.http.fetch('/200'),
  status: ({ client }) => client.status(),
  'a refused request': ({ client }) => client.http.axiosRef.get('https://other.example.com'),
  'getToken without configuration': ({ missing }) => missing.tokens.getToken(),
  'axios without configuration': ({ missing }) => missing.http.axiosRef.get('/200'),
  'fetch without configuration': ({ missing }) => missing.http.fetch('/200'),
  'status without configuration': ({ missing }) => missing.tokens.status(),
};

/** The promise, and what it settles with. */
async function take(clients: Clients, way: string): Promise<object> {
  const given = WAYS[way]?.(clients);
  const result: unknown = await Promise.resolve(given).catch((error: unknown) => error);
  return { given: types.isPromise(given) ? [...Reflect.ownKeys(given)] : undefined, result };
}

/** Every object that code can reach from a value through members and getters, except for functions. */
function objectsIn(root: unknown): object[] {
  const found = new Set<object>();
  const open = [root];
  for (let value = open.pop(); open.length > 0 || value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null || found.has(value)) continue;
    found.add(value);
    for (const key of Reflect.ownKeys(value)) open.push(Reflect.get(value, key));
    for (let level = parentOf(value); level && level !== Object.prototype; level = parentOf(level)) {
      // A getter of a class of Node may throw.
      for (const key of Reflect.ownKeys(level))
        if (isGetter(level, key)) open.push(attempted(() => Reflect.get(value, key) as unknown));
    }
  }
  return [...found];
}

function isGetter(level: object, key: PropertyKey): boolean {
  const descriptor = Reflect.getOwnPropertyDescriptor(level, key);
  return descriptor !== undefined && 'get' in descriptor;
}

function parentOf(value: object): object | null {
  return Reflect.getPrototypeOf(value);
}

function attempted<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

describe.each([
  ['works', false],
  ['refuses', true],
])('what callers get from a client whose token endpoint %s', (_, isRefusing) => {
  beforeEach(() => {
    for (const level of ['error', 'warn'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation(() => undefined);
  });
  afterEach(() => vi.restoreAllMocks());

  it('B28: two callers never get one object that they can change', async () => {
    const clients = givenClient(isRefusing);
    const owners = new Map<object, string>();
    for (const way of [...Object.keys(WAYS), ...Object.keys(WAYS)]) {
      for (const one of objectsIn(await take(clients, way))) {
        if (Object.isFrozen(one)) continue;
        expect(owners.get(one), `${inspect(one)} of ${way}`).toBeUndefined();
        owners.set(one, way);
      }
    }
  });
});

it('B28: a subscriber and a caller get two dates of one failure', async () => {
  vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  onTestFinished(() => void vi.restoreAllMocks());
  const events = eventsOf<{ readonly retryAt?: Date }>('provider-state');
  const { client } = givenClient(true);
  await client.tokens.getToken().catch(() => undefined);
  const { retryAt } = client.status();
  events[0]?.retryAt?.setTime(0);
  expect(events).toHaveLength(1);
  const error: unknown = await client.tokens.getToken().catch((one: unknown) => one);
  expect(error).toMatchObject({ retryAt });
});
