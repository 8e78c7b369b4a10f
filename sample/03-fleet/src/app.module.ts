import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { Redis } from 'ioredis';
import { type ProviderAuthOptions, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { RedisTokenStore } from 'nestjs-provider-auth/redis';
import { RedisModule } from './redis.module.js';

/** What sets a fleet apart from a single process is one line: `store`. */
@Module({
  imports: [
    ProviderAuthModule.forRootAsync({
      imports: [ConfigModule.forFeature(providerAuthConfig), RedisModule],
      inject: [providerAuthConfig.KEY, Redis],
      useFactory: (fromEnvironment: ProviderAuthOptions, redis: Redis) => ({
        ...fromEnvironment,
        // The default of 250 ms is for a machine that is not busy starting eight processes.
        store: new RedisTokenStore(redis, { timeoutMs: 2_000 }),
      }),
    }),
  ],
})
export class AppModule {}
