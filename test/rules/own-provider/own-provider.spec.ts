import type { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import {
  EasyHttpService,
  ProviderAuthModule,
  ProviderAuthService,
  type ProviderFetch,
  type TokenProvider,
} from '../../../lib/index.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { archive, warehouse } from '../../support/application/warehouse.js';
import { startSimulator } from '../../support/application/simulator.js';
import { bootWith } from '../../support/application/boot.js';

const startWarehouse = (environment: 'test' | 'live' = 'test') =>
  ProviderSimulator.start({ provider: warehouse, environment });

const simulated = await startWarehouse();
afterAll(() => simulated.close());

it('B24: a provider of the application injects HTTP clients, fetch and token providers by name', async () => {
  @Injectable()
  class Shop {
    constructor(
      @warehouse.InjectHttp('stock') readonly stock: HttpService,
      @warehouse.InjectFetch('bankOrders', 'test') readonly orders: ProviderFetch,
      @warehouse.InjectTokenProvider('returns') readonly tokens: TokenProvider<'returns', 'test' | 'live'>,
    ) {}
  }
  const { app } = await bootWith([warehouse.Module.forRoot(simulated.options())], [Shop]);
  const { stock, orders, tokens } = app.get(Shop);
  const { data } = await firstValueFrom(stock.get<object>('/items'));
  expect(data).toMatchObject({ interface: 'stock', environment: 'test', path: '/items' });
  expect(await (await orders('/orders')).json()).toMatchObject({ interface: 'bankOrders' });
  expect((await tokens.getToken()).reveal()).toBe(simulated.tokenRequests.at(-1)?.token);
  expect(app.get(warehouse.httpToken('stock'))).toBe(app.get(warehouse.httpToken('stock', 'test')));
  expect(app.get(warehouse.Service).status()).toHaveLength(6);
  expect(app.get(warehouse.Service).providers()[0]).toMatchObject({ interface: 'stock' });
});

it('B24: a provider of the application reads its own variables, and Module and config work as those of the built-in provider', async () => {
  const variables = simulated.env();
  expect(Object.keys(variables)).toContain('WAREHOUSE_BANK_ORDERS_TEST_BASE_URL');
  expect(Object.keys(variables)).toContain('WAREHOUSE_RETURNS_LIVE_CLIENT_KEY_FILE');
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { useFactory, ...rest } = warehouse.config.asProvider();
  const http = { httpsAgent: simulated.agent() };
  const { app } = await bootWith([
    warehouse.Module.forRootAsync({
      ...rest,
      useFactory: () => Object.assign({}, warehouse.config(), { http }),
    }),
  ]);
  expect(useFactory).toBeTypeOf('function');
  for (const name of ['stock', 'bankOrders', 'returns'] as const)
    for (const environment of ['test', 'live'] as const) {
      const client = app.get<HttpService>(warehouse.httpToken(name, environment));
      expect((await firstValueFrom(client.get<object>('/'))).data).toMatchObject({
        interface: name,
        environment,
      });
    }
});

it('B24: nothing crosses between two definitions and the built-in provider in one application', async () => {
  const [builtIn, other] = [await startSimulator(), await ProviderSimulator.start({ provider: archive })];
  onTestFinished(() => other.close());
  const { app } = await bootWith([
    ProviderAuthModule.forRoot(builtIn.options()),
    warehouse.Module.forRoot(simulated.options()),
    archive.Module.forRoot(other.options()),
  ]);
  simulated.reset();
  const clients = [
    app.get(EasyHttpService),
    app.get<HttpService>(warehouse.httpToken('stock')),
    app.get<HttpService>(archive.httpToken('stock')),
  ];
  for (const client of clients) await firstValueFrom(client.get('/'));
  const all = [builtIn, simulated, other];
  expect(all.map(({ tokenRequests }) => tokenRequests.length)).toEqual([1, 1, 1]);
  expect(all.map(({ apiRequests }) => apiRequests.map(({ status }) => status))).toEqual([
    [200],
    [200],
    [200],
  ]);
  const services = [ProviderAuthService, warehouse.Service, archive.Service].map((one) => app.get(one));
  expect(services.map((service) => service.status().filter(({ state }) => state === 'valid').length)).toEqual(
    [1, 1, 1],
  );
  simulated.token.revokeAll();
  for (const client of clients) await firstValueFrom(client.get('/'));
  expect(all.map(({ tokenRequests }) => tokenRequests.length)).toEqual([1, 2, 1]);
});
