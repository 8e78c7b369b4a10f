import { type DynamicModule, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { expect, it, onTestFinished } from 'vitest';
import { bootWith } from '../../support/application/boot.js';
import { PROVIDER_INTERFACES, readEnvironmentVariables } from '../../support/application/built-in.js';
import { ProviderAuthModule, type ProviderAuthOptions } from '../../../lib/index.js';
import { ProviderAuthTestingModule } from '../../../lib/testing/index.js';
import { startSimulator } from '../../support/application/simulator.js';
import { filesOf } from '../../support/http/client-certificates.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';

/** What the module logs while an application with these imports starts. */
async function linesOfBoot(...imports: DynamicModule[]): Promise<string[]> {
  return (await bootWith(imports)).logs.of('ProviderAuth');
}

it('B29: the log at boot has one line for each active pair, with the hosts of its API and its token URL', async () => {
  const provider = await startSimulator();
  const { interfaces } = provider.options();
  const lines = await linesOfBoot(
    ProviderAuthModule.forRoot({
      ...provider.options(),
      environment: { originations: 'production', easy: 'sandbox' },
      interfaces: {
        originations: interfaces.originations,
        easy: {
          sandbox: { ...interfaces.easy!.sandbox!, baseUrl: 'https://api.provider.example/easy/v1' },
        },
      },
    }),
  );
  const { host } = new URL(provider.tokenUrl('easy', 'sandbox'));
  expect(lines).toEqual([
    `log originations production is active (API: ${new URL(provider.baseUrl('originations', 'production')).host}, token URL: ${new URL(provider.tokenUrl('originations', 'production')).host}).`,
    `log easy sandbox is active (API: api.provider.example, token URL: ${host}).`,
  ]);
});

it('B29: the log at boot has one line for each pair, and no warning, where a test replaces two registrations', async () => {
  const provider = await startSimulator();
  const logs = new CapturedLogs();
  @Module({
    imports: [ProviderAuthModule.forRoot(provider.options()), ProviderAuthModule.forRoot(provider.options())],
  })
  class AppModule {}
  const testing = await ProviderAuthTestingModule.replaceIn(
    Test.createTestingModule({ imports: [AppModule] }),
  )
    .setLogger(logs)
    .compile();
  onTestFinished(() => testing.close());
  await testing.init();
  const lines = logs.of('ProviderAuth');
  expect(lines).toEqual(
    PROVIDER_INTERFACES.map((name) =>
      expect.stringMatching(new RegExp(`^log ${name} sandbox is active \\(`)),
    ),
  );
  expect(lines).toEqual(
    expect.arrayContaining([
      'log originations sandbox is active (API: originations.sandbox.invalid, token URL: login.originations.invalid).',
      'log easy sandbox is active (API: easy.sandbox.invalid, token URL: login.easy.sandbox.invalid).',
    ]),
  );
});

const SANDBOX = 'PROVIDER_EASY_SANDBOX_CLIENT_SECRET';
const PRODUCTION = 'PROVIDER_EASY_PRODUCTION_CLIENT_SECRET';
const WARNING = 'Each environment has its own credentials: put each in its place.';

it.each([
  ['a variable', (secret: string) => ({ [PRODUCTION]: secret }), PRODUCTION],
  [
    'a file',
    (secret: string) => ({
      [PRODUCTION]: undefined,
      [`${PRODUCTION}_FILE`]: filesOf({ secret: `${secret}\n` }).secret,
    }),
    `${PRODUCTION}_FILE`,
  ],
])(
  'S5 B29: one client secret in two environments is one warning at boot, by the name of %s and without the value',
  async (_, change, name) => {
    const provider = await startSimulator();
    const { clientSecret } = provider.credentials('easy', 'sandbox');
    const options = readEnvironmentVariables({ ...provider.env(), ...change(clientSecret) });
    const lines = await linesOfBoot(ProviderAuthModule.forRoot(options as unknown as ProviderAuthOptions));
    expect(lines.filter((line) => line.startsWith('warn'))).toEqual([
      `warn ${name} has the same value as ${SANDBOX}. ${WARNING}`,
    ]);
    expect(lines.join('\n')).not.toContain(clientSecret);
  },
);
