import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { Redis } from 'ioredis';
import { type ProviderAuthOptions, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { RedisTokenStore } from 'nestjs-provider-auth/redis';
import { RedisModule } from './redis.module.js';

/** Several processes share a token if this one option is set: `store`. */
@Module({
  imports: [
    ProviderAuthModule.forRootAsync({
      imports: [ConfigModule.forFeature(providerAuthConfig), RedisModule],
      inject: [providerAuthConfig.KEY, Redis],
      useFactory: (fromEnvironment: ProviderAuthOptions, redis: Redis) => ({
        ...fromEnvironment,
        // The default of 250 ms is too short for a machine that starts eight processes at the same time.
        store: new RedisTokenStore(redis, { timeoutMs: 2_000 }),
      }),
    }),
  ],
})
export class AppModule {}
