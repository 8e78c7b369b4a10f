import { runInThisContext } from 'node:vm';
import { create as createAxios } from 'axios';
import { Cluster, Redis } from 'ioredis';
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis-5';
import { Cluster as IovalkeyCluster, Redis as Iovalkey } from 'iovalkey';
import { createClient, createClientPool, createCluster, createSentinel } from 'redis';
import {
  createClient as createClient5,
  createClientPool as createPool5,
  createCluster as createCluster5,
  createSentinel as createSentinel5,
} from 'redis-5';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ProviderAuthConfigError } from '../../../lib/errors/provider-auth-config.error.js';
import { type RedisClient, RedisTokenStore, type RunScript } from '../../../lib/redis/index.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const CANARY = 'canary-password';
const sentinel = { name: 'fleet', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }] };

const withSentinels = { name: 'fleet', sentinels: [{ host: '127.0.0.1', port: 1 }] };

const closing = <Client extends { disconnect(): void }>(client: Client): Client => {
  onTestFinished(() => client.disconnect());
  return client;
};

const FREE = ['free', 1];

async function bound(this: unknown) {
  return this;
}

const NODE_REDIS = {
  'the client of 6': () => createClient(),
  'the client of 6 with a type mapping': () => createClient().withTypeMapping({ 36: Buffer }),
  'the pool of 6': () => createClientPool(),
  'the cluster of 6': () => createCluster({ rootNodes: [] }),
  'the sentinel of 6': () => createSentinel(sentinel),
  'the client of 5': () => createClient5(),
  'the client of 5 with RESP 3': () => createClient5({ RESP: 3 }),
  'the pool of 5': () => createPool5(),
  'the cluster of 5': () => createCluster5({ rootNodes: [] }),
  'the sentinel of 5': () => createSentinel5(sentinel),
};

const IOREDIS = {
  'a client of ioredis': () => closing(new Redis({ lazyConnect: true })),
  'a cluster of ioredis': () => closing(new Cluster([{ port: 1 }], { lazyConnect: true })),
  'a client of ioredis with sentinels': () => closing(new Redis({ ...withSentinels, lazyConnect: true })),
  'a client of ioredis 5': () => closing(new Redis5({ lazyConnect: true })),
  'a cluster of ioredis 5': () => closing(new Cluster5([{ port: 1 }], { lazyConnect: true })),
  'a client of ioredis 5 with sentinels': () => closing(new Redis5({ ...withSentinels, lazyConnect: true })),
  'a client of iovalkey': () => closing(new Iovalkey({ lazyConnect: true })),
  'a cluster of iovalkey': () => closing(new IovalkeyCluster([{ port: 1 }], { lazyConnect: true })),
};

describe('the clients that RedisTokenStore takes', () => {
  it.each(Object.entries({ ...IOREDIS, ...NODE_REDIS }))('B22: %s', (_, create) => {
    expect(() => new RedisTokenStore(create())).not.toThrow();
  });

  it.each([
    ['an arrow function', async () => FREE],
    ['a bound function', bound.bind(FREE)],
    [
      'a function of sloppy mode',
      runInThisContext('(function run() { return Promise.resolve(["free", 1]) })'),
    ],
  ] as [string, RunScript][])('B22: %s', async (_, run) => {
    expect(await new RedisTokenStore(run).claim({ name: 'name' })).toEqual({ state: 'free', now: 1 });
  });

  it('B22: a function gets the script, the keys and the arguments, each in its own place', async () => {
    const calls: unknown[][] = [];
    const store = new RedisTokenStore(async (...given) => void calls.push(given), { keyPrefix: 'p:' });
    await store.publish({ name: 'name', owner: 'me', value: 'value', expiresAt: 7 });
    expect(calls).toEqual([
      [expect.stringContaining('redis.call'), ['p:{name}', 'p:{name}:lease'], ['me', 'value', '7', '', '0']],
    ]);
  });
});

const lazy = (options: object) => closing(new Redis({ ...options, lazyConnect: true }));
const withPlace = (place: object) => ({ ...lazyShape, options: place });
const lazyShape = { status: 'ready', eval: async () => FREE };

describe('the host of a store', () => {
  it.each([
    ['ioredis', () => lazy({ host: 'redis.internal', port: 6380 }), 'redis.internal:6380'],
    ['ioredis, by a URL', () => closing(new Redis('redis://h_1:1', { lazyConnect: true })), 'h_1:1'],
    ['ioredis, by an IPv6 address', () => lazy({ host: '::1' }), '[::1]:6379'],
    ['ioredis, by a socket of Unix', () => lazy({ host: 'h', path: '/run/redis.sock' }), undefined],
    ['ioredis with sentinels', () => lazy(withSentinels), undefined],
    ['a cluster of ioredis', IOREDIS['a cluster of ioredis'], undefined],
    [
      'node-redis, by a URL',
      () => createClient({ url: `redis://:${CANARY}@redis.internal:6380` }),
      'redis.internal:6380',
    ],
    ['a function', () => async () => FREE, undefined],
    ['a client without options', () => lazyShape, undefined],
    ['a port that is a text', () => withPlace({ host: 'redis.internal', port: CANARY }), 'redis.internal'],
    ['a host that is a URL', () => withPlace({ host: `redis://:${CANARY}@host` }), undefined],
    ['a host that is no text', () => withPlace({ host: 5 }), undefined],
  ])('B35: of %s', (_, create: () => unknown, host) => {
    expect(new RedisTokenStore(create() as RedisClient).host).toBe(host);
  });
});

class Driver {
  run(): void {}
}

const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error(CANARY);
    },
  },
);

describe('everything else is refused by the constructor', () => {
  it.each([
    ['null', null],
    ['an address', `redis://:${CANARY}@host`],
    ['options of a client', { host: 'host', password: CANARY }],
    ['a promise of a client', Promise.resolve({ isOpen: true })],
    ['the class of ioredis', Redis],
    ['a class', Driver],
    ['an axios instance', createAxios()],
    ['a function with a member', Object.assign(async () => {}, { eval: async () => {} })],
    ['a client of node-redis 4', { isOpen: true, isReady: true, eval: () => {} }],
    ['a client without eval', { status: 'ready' }],
    ['an object whose members throw', hostile],
  ])('B22: C4: %s', async (_, client) => {
    const error = await errorOf((async () => new RedisTokenStore(client as never))());
    expect(error).toBeInstanceOf(ProviderAuthConfigError);
    expect(error).toMatchObject({
      code: 'CONFIG_INVALID',
      problems: [{ path: 'store.client' }],
    });
    expect(String(error)).toContain('ioredis 5 or newer, of iovalkey, or of node-redis 5 or newer');
    expect(String(error)).not.toContain(CANARY);
  });
});
