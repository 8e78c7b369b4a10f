import { type INestApplicationContext, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { expect, it, onTestFinished } from 'vitest';
import {
  ProviderAuthModule,
  type ProviderAuthOptions,
  ProviderAuthService,
  TokenRequestError,
} from '../../../lib/index.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { PROVIDER_INTERFACES, PROVIDER_PAIRS } from '../../support/application/built-in.js';
import { startSimulator, startSimulatorWithCaFile } from '../../support/application/simulator.js';
import { runSource } from '../../support/run/run-source.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';
import { bootWith } from '../../support/application/boot.js';

interface Booted {
  readonly app: INestApplicationContext;
  readonly logs: CapturedLogs;
  /** Undefined if the boot went well. */
  readonly error: unknown;
}

/** Starts an application up to the moment before it would listen. */
async function boot(
  provider: ProviderSimulator,
  token: ProviderAuthOptions['token'],
  more = {},
): Promise<Booted> {
  const logs = new CapturedLogs();
  @Module({ imports: [ProviderAuthModule.forRoot(provider.options({ token: token!, ...more }))] })
  class AppModule {}
  const app = await NestFactory.create(AppModule, { logger: logs, abortOnError: false });
  onTestFinished(() => app.close());
  const error: unknown = await app.init().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { app, logs, error };
}

function pairsAsked(provider: ProviderSimulator): string[] {
  return provider.tokenRequests.map((request) => `${request.interface} ${request.environment}`).toSorted();
}

/** A simulator's options configure every pair, and make the sandboxes active. */
const ACTIVE = PROVIDER_INTERFACES.map((name) => `${name} sandbox`).toSorted();

/** A line about trouble for each active pair. */
const oneForEach = (level: 'warn' | 'error') =>
  ACTIVE.map((pair) => expect.stringMatching(new RegExp(`^${level} No access token for ${pair}: `)));

it('B29: atBoot no asks for nothing', async () => {
  const provider = await startSimulator();
  const { error } = await boot(provider, { atBoot: 'no' });
  expect([error, provider.tokenRequests]).toEqual([undefined, []]);
});

it.each(['try', 'require'] as const)('B29: atBoot %s asks once for each active pair', async (atBoot) => {
  const provider = await startSimulator();
  const { app, error, logs } = await boot(provider, { atBoot });
  expect(error).toBeUndefined();
  expect(pairsAsked(provider)).toEqual(ACTIVE);
  const states = app.get(ProviderAuthService).status();
  expect(states.map(({ active, state }) => [active, state])).toEqual(
    PROVIDER_PAIRS.map(({ environment }) => (environment === 'sandbox' ? [true, 'valid'] : [false, 'empty'])),
  );
  expect(logs.linesAboutTrouble()).toEqual([]);
});

it('B29: atBoot asks for all pairs at the same time', async () => {
  const provider = await startSimulator();
  const held = provider.token.hold();
  const booting = boot(provider, { atBoot: 'require', timeoutMs: 60_000, maxAttempts: 1 });
  // One after the other, the second request would wait for the answer of the first.
  await expect.poll(() => provider.tokenRequests).toHaveLength(ACTIVE.length);
  held.release();
  expect((await booting).error).toBeUndefined();
});

it.each([
  ['a refusal', (provider: ProviderSimulator) => provider.token.refuse('invalid_client')],
  ['an outage', (provider: ProviderSimulator) => provider.token.status(503)],
  ['an endpoint that hangs', (provider: ProviderSimulator) => provider.token.hang()],
])(
  'B29: atBoot try goes on after %s, with one warning for each pair that fails, and one error when a caller meets it',
  async (_, script) => {
    const provider = await startSimulator();
    script(provider);
    const { app, error, logs } = await boot(provider, { atBoot: 'try', timeoutMs: 300, maxAttempts: 2 });
    expect(error).toBeUndefined();
    const linesOfTrouble = (): string[] =>
      logs
        .linesAboutTrouble()
        .filter((line) => !line.startsWith('log '))
        .toSorted();
    expect(linesOfTrouble()).toEqual(oneForEach('warn'));
    // The first caller meets the failure that stands, or fails itself. Further callers are no news.
    for (let calls = 0; calls < 2; calls += 1) {
      const active = app
        .get(ProviderAuthService)
        .providers()
        .filter((tokens) => tokens.active);
      await Promise.all(active.map((tokens) => tokens.getToken().catch(() => undefined)));
    }
    expect(linesOfTrouble()).toEqual([...oneForEach('error'), ...oneForEach('warn')]);
  },
);

it('B29: atBoot try warns of the pair that fails only, and a failure of a later time is an error', async () => {
  const provider = await startSimulator();
  provider.token.for('easy', 'sandbox').refuse('invalid_client');
  const { app, logs } = await boot(provider, { atBoot: 'try', maxAttempts: 1 });
  expect(logs.linesAboutTrouble()).toEqual([
    expect.stringMatching(/^warn No access token for easy sandbox: /),
  ]);
  provider.token.status(503);
  const [tokens] = app.get(ProviderAuthService).providers();
  await tokens!.renew(await tokens!.getToken()).catch(() => undefined);
  expect(logs.linesAboutTrouble().slice(1)).toEqual([
    expect.stringMatching(/^error No access token for originations sandbox: /),
  ]);
});

it('B29: atBoot require fails the boot with the error of one pair, and the log names all', async () => {
  const provider = await startSimulator();
  provider.token.for('easy', 'sandbox').refuse('invalid_client');
  provider.token.for('originations', 'sandbox').status(503);
  const { error, logs } = await boot(provider, { atBoot: 'require', maxAttempts: 2 });
  expect(error).toBeInstanceOf(TokenRequestError);
  expect(logs.linesAboutTrouble().toSorted()).toEqual([
    expect.stringMatching(/^error No access token for easy sandbox: .*TOKEN_REJECTED/),
    expect.stringMatching(/^error No access token for originations sandbox: .*TOKEN_UNAVAILABLE/),
  ]);
});

it('B29: atBoot asks after all modules are initialised, so a secret or a store may need one of them', async () => {
  const provider = await startSimulator();
  const { clientSecret } = provider.credentials('easy', 'sandbox');
  let secret: string | undefined;
  @Injectable()
  class Vault implements OnModuleInit {
    async onModuleInit(): Promise<void> {
      await Promise.resolve();
      secret = clientSecret;
    }
  }
  const { interfaces } = provider.options();
  const sandbox = { ...interfaces.easy!.sandbox!, clientSecret: () => secret ?? 'sealed' };
  const options = {
    ...provider.options({ token: { atBoot: 'require' } }),
    interfaces: { easy: { sandbox } },
  };
  await bootWith([ProviderAuthModule.forRoot(options)], [Vault]);
  expect(pairsAsked(provider)).toEqual(['easy sandbox']);
});

it(
  'B29: an application that require has refused closes, and its process ends by itself',
  { timeout: 60_000 },
  async () => {
    const { provider, caFile } = await startSimulatorWithCaFile();
    provider.token.hang();
    const { code, stdout, stderr } = await runSource(
      `
        import { Module } from '@nestjs/common';
        import { NestFactory } from '@nestjs/core';
        import { ProviderAuthModule, providerAuthConfig } from './lib/index.ts';
        const config = providerAuthConfig();
        const { originations, easy } = config.interfaces;
        const options = { ...config, interfaces: { originations, easy }, token: { ...config.token, timeoutMs: 3_000, maxAttempts: 1 } };
        const app = await NestFactory.create(ProviderAuthModule.forRoot(options), { logger: false, abortOnError: false });
        const refused = await app.listen(0).catch((error) => error);
        console.log(refused.name, refused.code, app.getHttpServer().listening);
        await app.close();
        process.on('exit', () => console.log('ended by itself'));
      `,
      { ...provider.env(), PROVIDER_TOKEN_AT_BOOT: 'require', NODE_EXTRA_CA_CERTS: caFile },
    );
    expect(provider.tokenRequests).toHaveLength(2);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'TokenRequestError TOKEN_UNAVAILABLE false\nended by itself\n',
      stderr: '',
    });
  },
);
