import type { Redis } from 'ioredis';
import type { Ports, Topology } from './redis-clients.js';
import { RedisCluster } from './redis-cluster.js';
import { RedisSentinel } from './redis-sentinel.js';
import { RedisServer } from './redis-server.js';

/** What every topology can do. */
export interface RedisService {
  readonly ports: Ports;
  admins(): Promise<Redis[]>;
  kill(): Promise<void>;
  launch(): Promise<void>;
  close(): Promise<void>;
}

export const REDIS_SERVICES: Record<Topology, () => Promise<RedisService>> = {
  single: () => RedisServer.start(),
  cluster: () => RedisCluster.start(),
  sentinel: () => RedisSentinel.start(),
};
