import { describe, expect, it } from 'vitest';
import type { FleetNode } from '../support/fleet/fleet-node.js';
import { leasesSince } from '../support/fleet/fleet.js';
import {
  type ClientName,
  clientsFor,
  clientsOfThisRun,
  type Topology,
} from '../support/fleet/redis-clients.js';
import { startFleetOn } from '../support/fleet/redis-fleet.js';
import { REDIS_SERVICES } from '../support/fleet/redis-services.js';
import { renewUntilStoreWorks } from '../support/fleet/store-trouble.js';

const NAMES = clientsOfThisRun([
  'node-redis 6',
  'node-redis 5 with RESP 3 and replies as bytes',
  'node-redis 5, cluster',
]);

const POLL = { timeout: 30_000, interval: 50 };

// With real services: cold, revoked, restarted, and mixed with another client.
for (const topology of Object.keys(REDIS_SERVICES) as Topology[]) {
  const ofTopology = clientsFor(topology).filter((name) => NAMES.includes(name));
  if (ofTopology.length > 0) await tryTopology(topology, ofTopology);
}

async function tryTopology(topology: Topology, names: readonly ClientName[]): Promise<void> {
  const service = await REDIS_SERVICES[topology]();
  describe(`B22: ${topology}`, async () => {
    const { provider, node, logs, said, entryKeys } = await startFleetOn(service);
    const nodes = (...kinds: ClientName[]): Promise<FleetNode[]> =>
      Promise.all(kinds.map((kind) => node({ kind })));
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

    async function isStored(): Promise<void> {
      await expect.poll(entryKeys, POLL).toHaveLength(1);
    }

    describe.each(names)('%s', (name) => {
      it('B22: cold: processes that start at once make one token request, and a later one makes none', async () => {
        const all = await nodes(name, name, name);
        const taken = await askOnce(() => fingerprints(all));
        await isStored();
        const asked = requests();
        const [later] = await fingerprints([await node({ kind: name })]);
        expect(taken).toContain(later);
        expect(requests()).toBe(asked);
        expect(said()).toEqual([]);
      });

      it('B22: revoked: processes whose token the API refuses make one token request', async () => {
        const all = await nodes(name, name, name);
        const [refused] = await fingerprints(all);
        await isStored();
        provider.token.revokeAll();
        expect(await askOnce(() => renewedFingerprints(all))).not.toContain(refused);
        expect(said()).toEqual([]);
      });

      it('B22: Redis restarted: no call fails, and the processes share tokens again', async () => {
        const one = await node({ kind: name });
        await one.get();
        await service.kill();
        for (let renewals = 0; renewals < 3; renewals += 1) await one.renewed();
        expect(said()).toHaveLength(1);
        await service.launch();
        await renewUntilStoreWorks(one, logs);
        const { fingerprint } = await one.renewed();
        await isStored();
        const before = requests();
        expect(await fingerprints([await node({ kind: name })])).toEqual([fingerprint]);
        expect(requests()).toBe(before);
      });

      it('B22: mixed: processes with this client and with another one make one token request, also after a 401', async () => {
        const others = clientsFor(topology).filter((other) => other !== name && !other.includes('bytes'));
        const all = await nodes(name, ...others);
        await askOnce(() => fingerprints(all));
        await isStored();
        provider.token.revokeAll();
        await askOnce(() => renewedFingerprints(all));
        expect(said()).toEqual([]);
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
