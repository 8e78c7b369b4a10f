import 'reflect-metadata';
import { once } from 'node:events';
import { subscribe } from 'node:diagnostics_channel';
import { NestFactory } from '@nestjs/core';
import { EasyHttpService, type TokenCacheEvent } from 'nestjs-provider-auth';
import { firstValueFrom } from 'rxjs';
import { AppModule } from './app.module.js';

/** One of eight processes: an ordinary application that makes one call and reports where its token came from. */
let from: TokenCacheEvent['result'] | undefined;
subscribe('provider-auth:token-cache', (event) => {
  from ??= (event as TokenCacheEvent).result;
});

const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error', 'warn'] });
const easy = app.get(EasyHttpService);

process.send?.('ready');
await once(process, 'message');

const { status } = await firstValueFrom(easy.get('/payments/42'));
process.send?.({ from, status });

await once(process, 'message');
await app.close();
process.disconnect();
