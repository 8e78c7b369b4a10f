import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { RedisTokenStore } from '../../../lib/redis/index.js';
import { pause, systemClock } from '../../../lib/time/clock.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { FleetNode, settingsFor } from '../../support/fleet/fleet-node.js';
import { CLIENT_KINDS, type ClientName } from '../../support/fleet/redis-clients.js';
import { RedisCluster } from '../../support/fleet/redis-cluster.js';
import { collectUnhandledRejections, renewUntilStoreWorks } from '../../support/fleet/store-trouble.js';
import { storedKeys } from '../../support/fleet/stored-keys.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';

const POLL = { timeout: 60_000, interval: 50 };
const EVENTS = ['ready', 'close', 'end', 'error'];
const unhandled = collectUnhandledRejections();
const logs = new CapturedLogs();

let provider: ProviderSimulator;

beforeAll(async () => {
  provider = await ProviderSimulator.start();
});
afterAll(() => provider.close());
beforeEach(() => {
  provider.reset();
  Logger.overrideLogger(logs);
  logs.lines.length = 0;
});

const said = (): string[] => logs.of('ProviderAuth');

/** A cluster, a process that shares tokens there, and the node that has its token. */
async function givenCluster(name: ClientName) {
  const cluster = await RedisCluster.start();
  onTestFinished(() => cluster.close());
  const open = async () => {
    const { client, close } = await CLIENT_KINDS[name].open(cluster.ports.slice(0, 3));
    onTestFinished(close);
    return { client, process: new FleetNode(new RedisTokenStore(client), settingsFor(provider)) };
  };
  const { client, process } = await open();
  await process.get();
  const entryKeys = async (): Promise<string[]> =>
    (await Promise.all((await cluster.admins()).map((admin) => storedKeys(admin, 'entry')))).flat();
  await expect.poll(entryKeys, POLL).toHaveLength(1);
  const [key = ''] = await entryKeys();
  const owner = await cluster.ownerOf(key);
  /** How many listeners of the client there are. */
  const listeners = (): unknown[] =>
    EVENTS.map((event) => {
      const count: unknown = Reflect.get(client, 'listenerCount');
      return typeof count === 'function' ? (Reflect.apply(count, client, [event]) as unknown) : undefined;
    });
  /** Whether another process takes the next token of this process. */
  const shares = async (): Promise<boolean> => {
    const { fingerprint } = await process.renewed();
    const before = provider.tokenRequests.length;
    const other = await open();
    const token = await other.process.get();
    return token.fingerprint === fingerprint && provider.tokenRequests.length === before;
  };
  return { cluster, key, owner, process, listeners, shares };
}

/** As often as 401s come for the token of each renewal. No call may fail. */
async function renew(process: FleetNode, times: number): Promise<void> {
  for (let renewals = 0; renewals < times; renewals += 1) await process.renewed();
}

// Until the other nodes notice that it is dead, 20 s pass, so the newest clients are enough.
describe.each(['ioredis 6, cluster', 'node-redis 6, cluster'] as const)('%s', (name) => {
  it('B10: B22: a node that is killed and not replaced: no call fails, the log says so once, and the store is used again', async () => {
    const { cluster, owner, process, listeners, shares } = await givenCluster(name);
    const before = listeners();
    await owner.kill();
    await renew(process, 20);
    expect(said()).toEqual([expect.stringContaining('STORE_FAILING')]);
    // Then the other nodes answer CLUSTERDOWN.
    await expect.poll(() => cluster.isDown(), POLL).toBe(true);
    await renew(process, 20);
    expect(said()).toHaveLength(1);
    await owner.launch();
    await cluster.agreed();
    await renewUntilStoreWorks(process, logs);
    await expect.poll(shares, POLL).toBe(true);
    expect([listeners(), unhandled]).toEqual([before, []]);
  });
});

// ioredis 5 and iovalkey follow a cluster as ioredis 6 does.
describe.each(['ioredis 6, cluster', 'node-redis 6, cluster', 'node-redis 5, cluster'] as const)(
  '%s',
  (name) => {
    it('B10: B22: a node that its replica replaces: no call fails, and the store is used again without a restart', async () => {
      const { cluster, owner, process, listeners, shares } = await givenCluster(name);
      const replica = await cluster.addReplica(owner);
      await expect.poll(shares, POLL).toBe(true);
      const before = listeners();
      await owner.kill();
      await renew(process, 5);
      await cluster.takeOver(replica);
      // Workaround: the cluster client of node-redis 5 asks a dead node for ever (redis/node-redis#2806), until this node is there again
      // and answers MOVED. Version 6 looks for the new node. This line can go with version 5.
      if (name === 'node-redis 5, cluster') await owner.launch();
      await expect.poll(shares, POLL).toBe(true);
      expect([listeners(), unhandled]).toEqual([before, []]);
      expect(said().filter((line) => line.startsWith('warn')).length).toBeLessThanOrEqual(2);
    });

    it('B10: B22: a node that hangs: no call fails, the log says so once, and the store is used again', async () => {
      const { cluster, owner, process, listeners, shares } = await givenCluster(name);
      const before = listeners();
      owner.freeze();
      onTestFinished(() => owner.thaw());
      await renew(process, 20);
      expect(said()).toEqual([expect.stringContaining('STORE_FAILING')]);
      // While metrics ask, the store is tried. The other nodes answer, but they do not have this entry (B35).
      for (let asked = 0; asked < 40; asked += 1) {
        expect(process.tokens.status().store).toBe('failing');
        await pause(systemClock, 100);
      }
      owner.thaw();
      await cluster.agreed();
      await renewUntilStoreWorks(process, logs);
      await expect.poll(shares, POLL).toBe(true);
      expect([listeners(), unhandled]).toEqual([before, []]);
    });

    it('B10: B22: a slot that moves to another node while it is used: no call fails, and tokens are shared there', async () => {
      const { cluster, key, owner, process, listeners, shares } = await givenCluster(name);
      const before = listeners();
      const { move, end } = await cluster.beginMove(key);
      await renew(process, 3);
      await move(key);
      await renew(process, 3);
      await end();
      await cluster.agreed();
      await renew(process, 3);
      await expect.poll(shares, POLL).toBe(true);
      expect(await cluster.ownerOf(key)).not.toBe(owner);
      expect([listeners(), unhandled]).toEqual([before, []]);
    });
  },
);
