import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpService } from '@nestjs/axios';
import { ConfigModule } from '@nestjs/config';
import type { INestApplicationContext } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { beforeEach, expect, it, vi } from 'vitest';
import {
  getProviderHttpToken,
  providerAuthConfig,
  ProviderAuthModule,
  type ProviderAuthOptions,
} from '../../../lib/index.js';
import { PROVIDER_INTERFACES } from '../../support/application/built-in.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { bootWith } from '../../support/application/boot.js';
import { startSimulator } from '../../support/application/simulator.js';
import { givenFolder } from '../../support/run/given-folder.js';

beforeEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith('PROVIDER_')) vi.stubEnv(name, undefined);
});

async function providerInEnvironment(
  variables: Record<string, string | undefined>,
): Promise<ProviderSimulator> {
  const provider = await startSimulator();
  for (const [name, value] of Object.entries({ ...provider.env(), ...variables })) vi.stubEnv(name, value);
  return provider;
}

function boot(provider: ProviderSimulator, options?: object) {
  const registration = ProviderAuthModule.forRootAsync({
    imports: [ConfigModule.forFeature(providerAuthConfig)],
    inject: [providerAuthConfig.KEY],
    useFactory: (config: ProviderAuthOptions) => ({ ...config, http: { httpsAgent: provider.agent() } }),
  });
  return bootWith([registration], [], options);
}

async function callAll(app: INestApplicationContext): Promise<void> {
  for (const name of PROVIDER_INTERFACES)
    await firstValueFrom(app.get<HttpService>(getProviderHttpToken(name)).get('/payments'));
}

it.each(['sandbox', 'production'] as const)(
  'C5: the environment %s alone decides the token URL, the credentials and the base URL of each interface',
  async (environment) => {
    const provider = await providerInEnvironment({ PROVIDER_ENVIRONMENT: environment });
    await callAll((await boot(provider)).app);
    for (const name of PROVIDER_INTERFACES) {
      const [asked] = provider.tokenRequests.filter((request) => request.interface === name);
      const { clientId, clientSecret } = provider.credentials(name, environment);
      expect(new URL(asked?.path ?? '', provider.origin).href).toBe(provider.tokenUrl(name, environment));
      expect(asked?.fields).toEqual({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
      });
      // The simulator finds the interface and environment only by the base URL.
      const [called] = provider.apiRequests.filter((request) => request.interface === name);
      expect(called).toMatchObject({ environment, status: 200 });
    }
    expect(provider.tokenRequests).toHaveLength(PROVIDER_INTERFACES.length);
  },
);

it('C5: PROVIDER_ENVIRONMENT is read from a .env file with caching, expansion and a global ConfigModule', async () => {
  const provider = await startSimulator();
  const file = join(givenFolder(), '.env');
  const variables: Record<string, string> = {
    ...provider.env(),
    ORIGIN: provider.origin,
    PROVIDER_ENVIRONMENT: 'production',
  };
  const lines = Object.entries(variables).map(([name, value]) =>
    name === 'ORIGIN' ? `${name}=${value}` : `${name}=${value.replace(provider.origin, '${ORIGIN}')}`,
  );
  // Single quotes would stop the expansion. Values without quotes may contain anything except a # after a space.
  writeFileSync(file, lines.toSorted().join('\n'));
  // ConfigModule copies the file into process.env; the stub puts each of them back afterwards.
  for (const name of Object.keys(variables)) vi.stubEnv(name, undefined);
  const { app } = await bootWith([
    ConfigModule.forRoot({
      isGlobal: true,
      cache: true,
      expandVariables: true,
      envFilePath: file,
      load: [providerAuthConfig],
    }),
    ProviderAuthModule.forRootAsync({
      inject: [providerAuthConfig.KEY],
      useFactory: (config: ProviderAuthOptions) => ({ ...config, http: { httpsAgent: provider.agent() } }),
    }),
  ]);
  await callAll(app);
  expect(provider.apiRequests.map(({ environment }) => environment)).toEqual(
    PROVIDER_INTERFACES.map(() => 'production'),
  );
});
