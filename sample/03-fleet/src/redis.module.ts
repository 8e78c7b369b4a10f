import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';

/** The Redis client of the application. The application may also use it for other purposes, and closes it. */
@Module({
  providers: [
    {
      provide: Redis,
      useFactory: async () => {
        const client = new Redis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { lazyConnect: true });
        client.on('error', () => {}); // without it, ioredis prints every failure; the store logs the cause once
        await client.connect();
        return client;
      },
    },
  ],
  exports: [Redis],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(Redis) private readonly client: Redis) {}

  onApplicationShutdown(): void {
    this.client.disconnect();
  }
}
