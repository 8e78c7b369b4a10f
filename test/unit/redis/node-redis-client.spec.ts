import { describe, expect, it, vi } from 'vitest';
import { type NodeRedisClient, RedisTokenStore } from '../../../lib/redis/index.js';

/** A client with these states, as far as its kind has them. */
function clientOf(state: { isOpen: boolean; isReady?: boolean }) {
  return Object.assign(
    {
      eval: vi.fn<NodeRedisClient['eval']>(() => Promise.resolve(['free', 1])),
      withTypeMapping: vi.fn<NodeRedisClient['withTypeMapping']>(),
    },
    state,
  );
}

const FREE = { state: 'free', now: 1 };

describe('a client of node-redis', () => {
  it('B22: that has not connected yet, or is closed, gets nothing, and the store says so at once', async () => {
    const client = clientOf({ isOpen: false, isReady: false });
    const started = performance.now();
    await expect(new RedisTokenStore(client, { timeoutMs: 60_000 }).claim({ name: 'name' })).rejects.toThrow(
      'NOT_CONNECTED',
    );
    expect(performance.now() - started).toBeLessThan(30_000);
    expect(client.eval).not.toHaveBeenCalled();
  });

  it('B22: that connects gets the script when it is ready', async () => {
    const client = clientOf({ isOpen: true, isReady: false });
    const claim = new RedisTokenStore(client, { timeoutMs: 60_000 }).claim({ name: 'name' });
    await new Promise((resolve) => {
      setTimeout(resolve, 30);
    });
    expect(client.eval).not.toHaveBeenCalled();
    client.isReady = true;
    expect(await claim).toEqual(FREE);
  });

  it('B22: that connects slowly gets nothing', async () => {
    const client = clientOf({ isOpen: true, isReady: false });
    const store = new RedisTokenStore(client, { timeoutMs: 20 });
    await expect(store.claim({ name: 'name' })).rejects.toThrow('NOT_CONNECTED');
    expect(client.eval).not.toHaveBeenCalled();
  });

  it('B22: that has lost its connection gets nothing, and the store does not wait for it', async () => {
    const client = clientOf({ isOpen: true, isReady: true });
    const store = new RedisTokenStore(client, { timeoutMs: 60_000 });
    expect(await store.claim({ name: 'name' })).toEqual(FREE);
    client.isReady = false;
    await expect(store.claim({ name: 'name' })).rejects.toThrow('NOT_CONNECTED');
    expect(client.eval).toHaveBeenCalledOnce();
    client.isReady = true;
    expect(await store.claim({ name: 'name' })).toEqual(FREE);
  });

  it('B22: without isReady, as the pool and the cluster of version 5, gets the script while it is open', async () => {
    const client = clientOf({ isOpen: true });
    const store = new RedisTokenStore(client);
    expect(await store.claim({ name: 'name' })).toEqual(FREE);
    client.isOpen = false;
    await expect(store.claim({ name: 'name' })).rejects.toThrow('NOT_CONNECTED');
    expect(client.eval).toHaveBeenCalledOnce();
  });
});
