import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { RedisTokenStore } from '../../../lib/redis/index.js';
import { FleetNode, settingsFor } from '../../support/fleet/fleet-node.js';
import {
  CLIENT_KINDS,
  type ClientName,
  clientsFor,
  SENTINEL_NAME,
} from '../../support/fleet/redis-clients.js';
import { RedisSentinel } from '../../support/fleet/redis-sentinel.js';
import { collectUnhandledRejections } from '../../support/fleet/store-trouble.js';
import { startSimulator } from '../../support/application/simulator.js';

const unhandled = collectUnhandledRejections();
const POLL = { timeout: 60_000, interval: 100 };

/** Until the sentinel knows the replica, it cannot replace the master. */
async function knowsReplica(sentinel: RedisSentinel): Promise<void> {
  const client = new Redis({ port: sentinel.port, host: '127.0.0.1', retryStrategy: () => 50 });
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  const port = String(sentinel.replica?.port);
  await expect
    .poll(async () => String(await client.call('SENTINEL', 'REPLICAS', SENTINEL_NAME)), POLL)
    .toContain(port);
}

/** A master with a replica behind a sentinel, and processes that share tokens there. */
async function givenSentinel(name: ClientName) {
  const provider = await startSimulator();
  const sentinel = await RedisSentinel.start({ withReplica: true });
  onTestFinished(() => sentinel.close());
  await knowsReplica(sentinel);
  const node = async (): Promise<FleetNode> => {
    const { client, close } = await CLIENT_KINDS[name].open(sentinel.ports);
    onTestFinished(close);
    return new FleetNode(new RedisTokenStore(client, { timeoutMs: 2_000 }), settingsFor(provider));
  };
  return { provider, sentinel, node };
}

it.each(clientsFor('sentinel'))(
  'B22: %s: the sentinel replaces a dead master: no call fails, and the processes share tokens on the new one',
  async (name) => {
    const { provider, sentinel, node } = await givenSentinel(name);
    const one = await node();
    await one.get();
    await sentinel.kill();
    /** Whether a new process takes the token of the first one. */
    const share = async (): Promise<boolean> => {
      const { fingerprint } = await one.renewed();
      const before = provider.tokenRequests.length;
      const token = await (await node()).get();
      return token.fingerprint === fingerprint && provider.tokenRequests.length === before;
    };
    await expect.poll(share, POLL).toBe(true);
    expect(await sentinel.replica?.client().role()).toContain('master');
  },
);

it.each(clientsFor('sentinel'))(
  'B10: B22: %s: the master dies while a token request is under way: the token arrives, no error is unhandled, and tokens are shared again',
  async (name) => {
    const { provider, sentinel, node } = await givenSentinel(name);
    const [one, other] = [await node(), await node()];
    let answer: (() => void) | undefined;
    provider.token.next().handler((_, response) => {
      answer = () => void response.writeHead(503).end();
    });
    const [asking, waiting] = [one.get(), other.get()];
    await expect.poll(() => answer, POLL).toBeDefined();
    await sentinel.kill();
    answer?.();
    await Promise.all([asking, waiting]);
    /** Whether one of these processes takes a token of the other one. */
    const share = async (): Promise<boolean> => {
      const tokens = [await one.renewed(), await other.renewed()];
      return tokens.some(({ cameFromStore }) => cameFromStore);
    };
    await expect.poll(share, POLL).toBe(true);
    expect(unhandled).toEqual([]);
  },
);
