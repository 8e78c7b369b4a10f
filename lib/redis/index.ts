export type { RedisClient } from './redis-client.js';
export { RedisTokenStore, type RedisTokenStoreOptions } from './redis-token-store.js';
