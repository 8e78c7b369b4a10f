import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { type ProviderAuthOptions, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { report, start } from '../case.js';
import { reportSharedToken } from '../shared-token.js';

// THE BLOCK

@Module({
  imports: [
    ProviderAuthModule.forRootAsync({
      imports: [ConfigModule.forFeature(providerAuthConfig)],
      inject: [providerAuthConfig.KEY],
      useFactory: (config: ProviderAuthOptions) => ({ ...config, store }),
    }),
  ],
})
class AppModule {}

const app = await start(AppModule);
await reportSharedToken(app, redis);
await app.close();
if (redis.isReady) await redis.close();
else redis.destroy();
