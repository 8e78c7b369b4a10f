import { once } from 'node:events';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { RedisTokenStore } from 'nestjs-provider-auth/redis';
import type { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { contextTrial } from './context-trial.js';

/** The same application with a store, while its Redis is off. */
export async function withoutRedis(provider: ProviderSimulator) {
  const redis = new Redis({ host: '127.0.0.1', port: await closedPort() });
  let refusals = 0;
  redis.on('error', () => (refusals += 1));
  try {
    const report = await contextTrial(provider, {
      http: { httpsAgent: provider.httpsAgent },
      store: new RedisTokenStore(redis),
    });
    return { ...report, redisWasOff: refusals > 0 };
  } finally {
    redis.disconnect();
  }
}

/** A port without a server: the operating system gave this free port a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
