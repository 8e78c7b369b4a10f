import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ProviderAuthModule, providerAuthConfig } from '../../../lib/index.js';
import { defineProvider } from '../../../lib/index.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';

defineProvider({
  name: 'provider-east',
  interfaces: { stock: { tokenUrlPer: 'environment', tokenPath: /./, tokenPathExample: '/token' } },
  environments: ['test'],
});

it('B35: unknown variables are one warning at boot, with names only, and without those of another definition', async () => {
  const provider = await ProviderSimulator.start();
  const logs = new CapturedLogs();
  Logger.overrideLogger(logs);
  const given = {
    ...provider.env(),
    PROVIDER_EASY_TIMEOUT: 'canary',
    PROVIDER_EASY_SANDBOX_CLIENT_SCOPES: 'canary',
    PROVIDER_COLOUR: '',
    PROVIDER_EAST_STOCK_TEST_COLOUR: 'canary',
  };
  for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value);
  const app = await NestFactory.createApplicationContext(
    ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()),
    { logger: logs },
  );
  onTestFinished(async () => {
    await app.close();
    await provider.close();
  });
  expect(logs.of('ProviderAuth').filter((line) => line.startsWith('warn'))).toEqual([
    expect.stringMatching(
      /^warn The module does not know these variables, and does not read them: PROVIDER_EASY_TIMEOUT, PROVIDER_EASY_SANDBOX_CLIENT_SCOPES.*\. Correct or remove them\.$/,
    ),
  ]);
  expect(logs.of('ProviderAuth').join()).not.toContain('canary');
});
