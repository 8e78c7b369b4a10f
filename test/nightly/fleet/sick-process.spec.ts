import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisTokenStore } from '../../../lib/redis/index.js';
import { blackHole } from '../../support/http/black-hole.js';
import { ConnectProxy } from '../../support/http/connect-proxy.js';
import { Fleet, leasesSince } from '../../support/fleet/fleet.js';
import { FleetNode, settingsFor } from '../../support/fleet/fleet-node.js';
import { RedisServer } from '../../support/fleet/redis-server.js';
import { startSimulator } from '../../support/application/simulator.js';

const SIZE = 6;
const POLL = { timeout: 20_000, interval: 10 };

const WAYS_OUT = {
  'a proxy that answers 403': async () => (await ConnectProxy.start('HTTP/1.1 403 Forbidden\r\n\r\n')).port,
  'a way out that loses packets': blackHole,
};

describe('B10: one process of the fleet cannot reach the token endpoint', () => {
  it.each(Object.entries(WAYS_OUT))(
    'B10: no call of the others fails because of %s, and none waits long',
    async (_, wayOut) => {
      const proxyPort = await wayOut();
      const settings = (index: number) => (index === 0 ? { proxyPort } : {});
      const fleet = await Fleet.start({ size: SIZE, settings });
      const { provider, redis } = fleet;
      const [sick, ...others] = fleet.members;
      // The sick process comes first. It asks again and again, so it has the lease again and again.
      const admin = await redis.connected();
      const started = performance.now();
      const trouble = sick?.ask('callAllTheTime', { forMs: 6_000, everyMs: 20 });
      await expect.poll(() => admin.keys('provider-auth:*:lease'), POLL).toHaveLength(1);
      const healthy = await Promise.all(
        others.map((member) => member.ask('callAllTheTime', { forMs: 3_000, everyMs: 20 })),
      );
      expect(healthy.flatMap(({ errors }) => errors)).toEqual([]);
      // Long before a renewal of the sick process ends, which has three attempts of 5 s.
      for (const { longestMs } of healthy) expect(longestMs).toBeLessThan(10_000);
      // The first lease is that of the sick process.
      expect(provider.tokenRequests.length).toBeLessThanOrEqual(leasesSince(started) - 1);
      // The fleet helps the sick process, too.
      expect((await trouble)?.failed).toBeLessThan((await trouble)?.calls ?? 0);
    },
  );

  it('B10: ten processes whose packets are lost delay another process at most by the time of one renewal', async () => {
    const provider = await startSimulator();
    const redis = await RedisServer.start();
    onTestFinished(() => redis.close());
    const proxyPort = await blackHole();
    const admin = await redis.connected();
    const node = (port?: number): FleetNode => {
      const store = new RedisTokenStore(redis.client(), { timeoutMs: 2_000 });
      return new FleetNode(store, { ...settingsFor(provider), proxyPort: port });
    };
    /** How long a process waits for its token after so many others have begun to wait. */
    const waitBehind = async (count: number): Promise<number> => {
      await admin.flushall();
      const cutOff = Array.from({ length: count }, () => node(proxyPort));
      const healthy = node();
      const waiting = [cutOff[0]?.get()];
      await expect.poll(() => admin.keys('provider-auth:*:lease'), POLL).toHaveLength(1);
      for (const one of cutOff.slice(1)) waiting.push(one.get());
      const started = performance.now();
      const token = await healthy.get();
      const waitMs = performance.now() - started;
      // The token of the healthy process serves all.
      for (const one of waiting) expect((await one)?.fingerprint).toBe(token.fingerprint);
      return waitMs;
    };
    const one = await waitBehind(1);
    const ten = await waitBehind(10);
    console.info(`waits: ${Math.round(one)} ms behind one process, ${Math.round(ten)} ms behind ten`);
    expect(ten).toBeLessThan(3 * 5_000 + 2_000);
    expect(provider.tokenRequests).toHaveLength(2);
  });
});
