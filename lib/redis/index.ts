export type { IoredisClient, NodeRedisClient, RedisClient, RunScript } from './redis-client.js';
export { RedisTokenStore, type RedisTokenStoreOptions } from './redis-token-store.js';
