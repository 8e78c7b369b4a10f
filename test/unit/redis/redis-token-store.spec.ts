import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import {
  type IoredisClient,
  RedisTokenStore,
  type RedisTokenStoreOptions,
} from '../../../lib/redis/index.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { ProviderAuthConfigError } from '../../../lib/errors/provider-auth-config.error.js';
import { errorOf } from '../../support/token/token-fixtures.js';

/** A client with this status. It gives the same answer to every script. */
function clientOf(status: string, reply: unknown = ['free', 1]) {
  return { status, eval: vi.fn<IoredisClient['eval']>(() => Promise.resolve(reply)) };
}

const storeWith = (sealKey?: unknown) =>
  new RedisTokenStore(clientOf('ready'), { sealKey } as RedisTokenStoreOptions);

describe('B32: the seal key', () => {
  const key = 'canary-'.repeat(5);

  it.each([
    ['a text', key],
    ['a Secret', new Secret(key)],
    ['a function of a text with a line break', () => `${key}\n`],
    ['a function of a promise of a Secret', () => Promise.resolve(new Secret(key))],
  ])('B32: is %s', async (_, sealKey) => {
    const store = storeWith(sealKey);
    expect((await store.sealKey?.())?.reveal()).toBe(key);
    expect(inspect(store, { showHidden: true, depth: null })).not.toContain('canary');
  });

  it.each(['c'.repeat(31), 5, [key], `${key}\u0000`, ` ${key}`])(
    'B32: is refused when the store is made: %j',
    async (sealKey) => {
      const error = await errorOf((async () => storeWith(sealKey))());
      expect(error).toBeInstanceOf(ProviderAuthConfigError);
      expect(error).toMatchObject({ problems: [{ path: 'store.sealKey' }] });
      expect(String(error)).not.toMatch(/canary|cccc/);
    },
  );

  it.each(['x'.repeat(32), 'change-me'])(
    'B32: that is a placeholder is refused, and comes from no provider: %j',
    (given) => {
      expect(() => storeWith(given)).toThrow(
        'store.sealKey  is a placeholder, or shorter than 32 bytes. Use random text, such as the output of openssl rand -base64 32.',
      );
    },
  );

  it('B32: of a function that fails is no part of the error', async () => {
    for (const sealKey of [() => 'canary', () => Promise.reject(new Error('canary')), () => 5]) {
      const error = await errorOf(storeWith(sealKey).sealKey?.() ?? Promise.resolve());
      expect(String(error)).toContain('store.sealKey');
      expect(inspect(error)).not.toContain('canary');
    }
  });
});

describe('RedisTokenStore', () => {
  it('B10: needs one round trip for each operation, on keys that share a slot', async () => {
    const client = clientOf('ready');
    const store = new RedisTokenStore(client, { keyPrefix: 'p:' });
    await store.claim({ name: 'name', lease: { owner: 'me', ms: 5_000 } });
    await store.publish({ name: 'name', owner: 'me', value: 'value', expiresAt: 7 });
    await store.release({ name: 'name', owner: 'me', note: { value: 'note', ms: 9 } });
    expect(client.eval.mock.calls.map(([, ...rest]) => rest)).toEqual([
      [2, 'p:{name}', 'p:{name}:lease', 'me', '5000', ''],
      [2, 'p:{name}', 'p:{name}:lease', 'me', 'value', '7', '', '0'],
      [2, 'p:{name}', 'p:{name}:lease', 'me', '', '0', 'note', '9'],
    ]);
  });

  it.each(['reconnecting', 'end'])(
    'B10: sends nothing to a client that is not connected (%s), and says so at once',
    async (status) => {
      const client = clientOf(status);
      expect(await errorOf(new RedisTokenStore(client).claim({ name: 'name' }))).toMatchObject({
        message: 'NOT_CONNECTED',
      });
      expect(client.eval).not.toHaveBeenCalled();
    },
  );

  it('B10: waits a short time for a client that connects', async () => {
    const client = clientOf('connecting');
    const claim = new RedisTokenStore(client).claim({ name: 'name' });
    client.status = 'ready';
    expect(await claim).toEqual({ state: 'free', now: 1 });
  });

  it('B10: does not wait for a client that cannot connect, or that connects slowly', async () => {
    const failing = clientOf('connecting');
    const claim = new RedisTokenStore(failing).claim({ name: 'name' });
    failing.status = 'close';
    await expect(claim).rejects.toThrow('NOT_CONNECTED');
    const slow = new RedisTokenStore(clientOf('connect'), { timeoutMs: 5 }).claim({ name: 'name' });
    await expect(slow).rejects.toThrow('NOT_CONNECTED');
  });

  it('B10: connects a lazy client, and waits until it is ready', async () => {
    const client = clientOf('wait');
    const connect = vi.fn<NonNullable<IoredisClient['connect']>>(() => {
      client.status = 'connecting';
      return Promise.resolve();
    });
    const claim = new RedisTokenStore(Object.assign(client, { connect })).claim({ name: 'name' });
    expect(connect).toHaveBeenCalledOnce();
    expect(client.eval).not.toHaveBeenCalled();
    client.status = 'ready';
    expect(await claim).toEqual({ state: 'free', now: 1 });
  });

  it.each([
    [['found', '7', '8', 'text'], { state: 'found', now: 7, expiresAt: 8, value: 'text' }],
    [
      [Buffer.from('found'), Buffer.from('7'), Buffer.from('8'), new Uint8Array(Buffer.from('text'))],
      { state: 'found', now: 7, expiresAt: 8, value: 'text' },
    ],
    [
      [Buffer.from('held'), 7, 8, Buffer.from('a note'), null],
      { state: 'held', now: 7, expiresAt: 8, note: 'a note' },
    ],
    [[Buffer.from('free'), '7'], { state: 'free', now: 7 }],
  ])('B22: reads a reply of a client that decodes it in its own way (%#)', async (reply, expected) => {
    const client = clientOf('ready', reply);
    expect(await new RedisTokenStore(client).claim({ name: 'name' })).toEqual(expected);
  });

  it('lets a lazy client without connect() connect with its first command', async () => {
    const client = clientOf('wait');
    expect(await new RedisTokenStore(client).claim({ name: 'name' })).toEqual({ state: 'free', now: 1 });
  });

  it.each([null, 'OK', [], ['found', 1, 2, 3], [['leased']], ['other', 1]])(
    'B10: takes %j for no answer',
    async (reply) => {
      const client = clientOf('ready', reply);
      await expect(new RedisTokenStore(client).claim({ name: 'name' })).rejects.toThrow('NOT_AN_ANSWER');
    },
  );

  it.each([
    { keyPrefix: 'a{b' },
    { keyPrefix: ['app:'] as never },
    { timeoutMs: 250.5 },
    { timeoutMs: Number.NaN },
    { timeoutMs: 60_001 },
  ])('refuses the options %j and says how to fix them', (options) => {
    const client = clientOf('ready');
    expect(() => new RedisTokenStore(client, options)).toThrow(ProviderAuthConfigError);
  });

  it('B30: names all wrong options in one error', () => {
    const client = clientOf('ready');
    const create = (): unknown => new RedisTokenStore(client, { keyPrefix: '{', timeoutMs: 0 });
    expect(create).toThrow(/store\.keyPrefix .*\n *store\.timeoutMs /);
  });
});
