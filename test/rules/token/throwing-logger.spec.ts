import { expect, it } from 'vitest';
import { runSource } from '../../support/run/run-source.js';

/** An application with failures of every kind and a logger that throws at each line. It prints what its callers got. */
const SOURCE = `
  import { setTimeout as passed } from 'node:timers/promises';
  import { Logger } from '@nestjs/common';
  import { NestFactory } from '@nestjs/core';
  import { EasyHttpService, getTokenProviderToken, ProviderAuthModule } from './lib/index.ts';
  import { MemoryTokenStore, ProviderSimulator } from './lib/testing/index.ts';

  class FailingStore extends MemoryTokenStore {
    async claim() { throw new Error('ECONNREFUSED'); }
  }
  const provider = await ProviderSimulator.start();
  const options = provider.options({ store: new FailingStore(), token: { maxAttempts: 1 } });
  const app = await NestFactory.createApplicationContext(ProviderAuthModule.forRoot(options), { logger: false });
  const levels = [];
  const full = (level) => () => {
    levels.push(level);
    throw new Error('The disk is full.');
  };
  Logger.overrideLogger({ error: full('error'), warn: full('warn'), log: full('log') });

  const tokens = app.get(getTokenProviderToken('easy'));
  provider.token.next().status(503);
  const failed = await tokens.getToken().catch(({ code }) => code);
  let healed;
  while (healed === undefined) {
    await passed(20);
    healed = await tokens.getToken().then((token) => token.constructor.name, () => undefined);
  }
  provider.api.unauthorized();
  const call = () => app.get(EasyHttpService).axiosRef.get('/payments').catch((error) => error);
  const refused = [await call(), await call()].map((error) => error.response?.status ?? error.message);
  provider.api.status(200);
  const accepted = (await call()).status;
  await app.close();
  await provider.close();
  console.log(JSON.stringify({ failed, healed, refused, accepted, levels }));
`;

it('B9: a logger that throws changes nothing for a caller and ends no process', async () => {
  const { code, stdout, stderr } = await runSource(SOURCE);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    failed: 'TOKEN_UNAVAILABLE',
    healed: 'AccessToken',
    refused: [401, 401],
    accepted: 200,
    levels: ['warn', 'error', 'log', 'warn', 'log'],
  });
});
