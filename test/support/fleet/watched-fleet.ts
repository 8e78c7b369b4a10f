import { ProviderSimulator } from '../../../lib/testing/index.js';
import { Fleet } from './fleet.js';
import { RedisMonitor } from './redis-monitor.js';
import { RedisServer } from './redis-server.js';

type FleetSettings = Omit<Parameters<typeof Fleet.start>[0], 'provider' | 'redisPort'>;

/** A fleet with its provider, and a person who watches its Redis. */
export interface WatchedFleet {
  readonly provider: ProviderSimulator;
  readonly redis: RedisServer;
  readonly monitor: RedisMonitor;
  readonly fleet: Fleet;
  close(): Promise<void>;
}

export async function startWatchedFleet(
  settingsFor: (provider: ProviderSimulator) => FleetSettings,
): Promise<WatchedFleet> {
  const provider = await ProviderSimulator.start({ lifetimeSeconds: 3600, latencyMs: 100 });
  const redis = await RedisServer.start();
  const monitor = await RedisMonitor.start(redis);
  const fleet = await Fleet.start({ ...settingsFor(provider), provider, redisPort: redis.port });
  return {
    provider,
    redis,
    monitor,
    fleet,
    async close() {
      await fleet.close();
      monitor.close();
      await redis.close();
      await provider.close();
    },
  };
}
