import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { type ProviderAuthOptions, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { report, start } from '../case.js';
import { reportSharedToken } from '../shared-token.js';

// THE BLOCK

// The process must end by itself: no line here closes the connection of the block.
const app = await start(AppModule);
await reportSharedToken(app, redis);
await app.close();
