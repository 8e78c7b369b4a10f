import type { Redis } from 'ioredis';

const ENDS = { entry: '}', lease: ':lease' };

/**
 * The keys of one kind in a Redis. A process gives its caller the token before Redis has stored the entry, and until then there
 * is the key of the lease. So a test that needs the stored token waits for an entry, not for any key.
 */
export async function storedKeys(redis: Redis, kind: keyof typeof ENDS): Promise<string[]> {
  const keys: string[] = await redis.keys('provider-auth:*');
  return keys.filter((key) => key.endsWith(ENDS[kind]));
}
