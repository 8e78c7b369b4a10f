import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { firstValueFrom } from 'rxjs';
import { beforeAll, expect, it } from 'vitest';
import {
  type AccountCredentials,
  EasyHttpService,
  ProviderAuthModule,
  providerAuthConfig,
} from '../../../lib/index.js';
import { SimulationHere } from '../../support/application/simulate.js';
import { setVariables } from '../../support/application/variables.js';
import { errorOf } from '../../support/token/token-fixtures.js';

type All = Record<string, Record<string, Record<string, AccountCredentials>>>;

beforeAll(() => Logger.overrideLogger(false));

it('B25 B33: gives each account its credentials, and an application calls with them', async () => {
  const simulation = await SimulationHere.start(['--accounts', '3']);
  const { SIMULATED_ACCOUNTS = '', ...variables } = simulation.variables;
  expect(simulation.started['accounts']).toBe('merchant-1 to merchant-3');
  const all = JSON.parse(SIMULATED_ACCOUNTS) as All;
  expect(Object.keys(all)).toEqual(['merchant-1', 'merchant-2', 'merchant-3']);
  const ids = Object.values(all).map((one) => one['easy']?.['sandbox']?.clientId);
  expect(new Set([...ids, variables['PROVIDER_EASY_SANDBOX_CLIENT_ID']]).size).toBe(4);
  setVariables(variables);
  const application = await Test.createTestingModule({
    imports: [
      ProviderAuthModule.forRoot({
        ...providerAuthConfig(),
        accounts: (account, pair) => all[account]?.[pair.interface]?.[pair.environment],
      }),
    ],
  }).compile();
  const easy = application.get(EasyHttpService);
  for (const account of ['merchant-1', 'merchant-3'])
    await firstValueFrom(easy.for({ account }).get('/payments/1'));
  await firstValueFrom(easy.get('/payments/1'));
  expect(await errorOf(easy.for({ account: 'merchant-4' }).fetch('/'))).toMatchObject({
    code: 'ACCOUNT_UNKNOWN',
  });
  const requests = await simulation.requests(6);
  expect(requests.map(({ account, kind, status }) => [account, kind, status])).toEqual([
    ['merchant-1', 'token', 200],
    ['merchant-1', 'api', 200],
    ['merchant-3', 'token', 200],
    ['merchant-3', 'api', 200],
    [undefined, 'token', 200],
    [undefined, 'api', 200],
  ]);
  await application.close();
});

it('B25 B33: the lines for people have the names, and the next start has the same credentials', async () => {
  const simulation = await SimulationHere.start(['--accounts', '2'], { terminal: true });
  expect(simulation.text).toContain('merchant-1 to merchant-2: see SIMULATED_ACCOUNTS');
  const { SIMULATED_ACCOUNTS = '' } = simulation.variables;
  const { clientId = '', clientSecret = '' } =
    (JSON.parse(SIMULATED_ACCOUNTS) as All)['merchant-2']?.['easy']?.['sandbox'] ?? {};
  await simulation.askForToken({ client_id: clientId, client_secret: String(clientSecret) });
  await simulation.shows('easy sandbox merchant-2');
  const again = await SimulationHere.start(['--accounts', '2']);
  expect(again.variables['SIMULATED_ACCOUNTS']).toBe(SIMULATED_ACCOUNTS);
});

it('B25 B33: without --accounts there is no such variable', async () => {
  const simulation = await SimulationHere.start();
  expect(simulation.variables).not.toHaveProperty('SIMULATED_ACCOUNTS');
  expect(simulation.started).not.toHaveProperty('accounts');
});
