export type { IoredisClient } from './ioredis-client.js';
export type { NodeRedisClient } from './node-redis-client.js';
export type { RedisClient } from './redis-client.js';
export { RedisTokenStore, type RedisTokenStoreOptions } from './redis-token-store.js';
export type { RunScript } from './run-script.js';
