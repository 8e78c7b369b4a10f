import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { RedisTokenStore } from '../../lib/redis/index.js';
import { ProviderSimulator } from '../../lib/testing/index.js';
import { CapturedLogs } from '../support/secrets/captured-logs.js';
import { FleetNode, settingsFor } from '../support/fleet/fleet-node.js';
import { leasesSince } from '../support/fleet/fleet.js';
import {
  CLIENT_KINDS,
  type ClientName,
  clientsFor,
  clientsOfThisRun,
  type Topology,
} from '../support/fleet/redis-clients.js';
import { REDIS_SERVICES, type RedisService } from '../support/fleet/redis-services.js';
import { renewUntilStoreWorks } from '../support/fleet/store-trouble.js';
import { storedKeys } from '../support/fleet/stored-keys.js';

const POLL = { timeout: 30_000, interval: 50 };

const NAMES = clientsOfThisRun([
  'node-redis 6',
  'node-redis 5 with RESP 3 and replies as bytes',
  'node-redis 5, cluster',
]);

// With real services: cold, revoked, restarted, and mixed with another client.
for (const topology of Object.keys(REDIS_SERVICES) as Topology[]) {
  const ofTopology = clientsFor(topology).filter((name) => NAMES.includes(name));
  if (ofTopology.length > 0) tryTopology(topology, ofTopology);
}

function tryTopology(topology: Topology, names: readonly ClientName[]): void {
  describe(`B22: ${topology}`, () => {
    const logs = new CapturedLogs();
    let provider: ProviderSimulator;
    let service: RedisService;
    let admins: Redis[];

    beforeAll(async () => {
      provider = await ProviderSimulator.start();
      service = await REDIS_SERVICES[topology]();
      admins = await service.admins();
    });
    afterAll(async () => {
      await service.close();
      await provider.close();
    });
    beforeEach(async () => {
      provider.reset();
      Logger.overrideLogger(logs);
      logs.lines.length = 0;
      await Promise.all(admins.map((admin) => admin.flushall()));
    });

    async function node(name: ClientName): Promise<FleetNode> {
      const { client, close } = await CLIENT_KINDS[name].open(service.ports);
      onTestFinished(close);
      return new FleetNode(new RedisTokenStore(client, { timeoutMs: 2_000 }), settingsFor(provider));
    }

    const nodes = (...kinds: ClientName[]): Promise<FleetNode[]> => Promise.all(kinds.map(node));
    const requests = (): number => provider.tokenRequests.length;

    /** These processes need a token. They ask for one, unless the machine is so slow that the first lease ends before. */
    async function askOnce(get: () => Promise<string[]>): Promise<string[]> {
      const before = requests();
      const started = performance.now();
      const taken = await get();
      const most = leasesSince(started);
      expect(requests() - before).toBeLessThanOrEqual(most);
      expect(new Set(taken).size).toBeLessThanOrEqual(most);
      return taken;
    }

    const entryKeys = async (): Promise<string[]> =>
      (await Promise.all(admins.map((admin) => storedKeys(admin, 'entry')))).flat();
    async function isStored(): Promise<void> {
      await expect.poll(entryKeys, POLL).toHaveLength(1);
    }

    describe.each(names)('%s', (name) => {
      it('B22: cold: processes that start at once make one token request, and a later one makes none', async () => {
        const all = await nodes(name, name, name);
        const taken = await askOnce(() => fingerprints(all));
        await isStored();
        const asked = requests();
        const [later] = await fingerprints([await node(name)]);
        expect(taken).toContain(later);
        expect(requests()).toBe(asked);
        expect(logs.of('ProviderAuth')).toEqual([]);
      });

      it('B22: revoked: processes whose token the API refuses make one token request', async () => {
        const all = await nodes(name, name, name);
        const [refused] = await fingerprints(all);
        await isStored();
        provider.token.revokeAll();
        expect(await askOnce(() => renewedFingerprints(all))).not.toContain(refused);
        expect(logs.of('ProviderAuth')).toEqual([]);
      });

      it('B22: Redis restarted: no call fails, and the processes share tokens again', async () => {
        const one = await node(name);
        await one.get();
        await service.kill();
        for (let renewals = 0; renewals < 3; renewals += 1) await one.renewed();
        expect(logs.of('ProviderAuth')).toHaveLength(1);
        await service.launch();
        await renewUntilStoreWorks(one, logs);
        const { fingerprint } = await one.renewed();
        await isStored();
        const before = requests();
        expect(await fingerprints([await node(name)])).toEqual([fingerprint]);
        expect(requests()).toBe(before);
      });

      it('B22: mixed: processes with this client and with another one make one token request, also after a 401', async () => {
        const others = clientsFor(topology).filter((other) => other !== name && !other.includes('bytes'));
        const all = await nodes(name, ...others);
        await askOnce(() => fingerprints(all));
        await isStored();
        provider.token.revokeAll();
        await askOnce(() => renewedFingerprints(all));
        expect(logs.of('ProviderAuth')).toEqual([]);
      });
    });
  });
}

async function fingerprints(all: readonly FleetNode[]): Promise<string[]> {
  return Promise.all(all.map(async (one) => (await one.get()).fingerprint));
}

/** As after a 401 for the token that each process has. */
async function renewedFingerprints(all: readonly FleetNode[]): Promise<string[]> {
  return Promise.all(all.map(async (one) => (await one.renewed()).fingerprint));
}
