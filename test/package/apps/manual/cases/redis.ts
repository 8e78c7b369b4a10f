import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { type ProviderAuthOptions, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { start } from '../case.js';
import { reportSharedToken } from '../shared-token.js';

// THE BLOCK

await redis.ping();
const app = await start(AppModule);
await reportSharedToken(app, redis);
await app.close();
redis.disconnect();
