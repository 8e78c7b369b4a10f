import { Agent } from 'node:https';
import type { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import {
  defineProvider,
  EasyHttpService,
  ProviderAuthModule,
  ProviderAuthService,
  type ProviderFetch,
  type TokenProvider,
} from '../../../lib/index.js';
import { MemoryTokenStore } from '../../../lib/testing/token-store/memory-token-store.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { archive, warehouse } from '../../support/application/warehouse.js';
import { startSimulator } from '../../support/application/simulator.js';
import { WireServer } from '../../support/http/wire-server.js';
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

it('B24: a provider of the application sends scope, audience and resource with each token request, and authenticates as defined', async () => {
  const own = await startWarehouse('live');
  onTestFinished(() => own.close());
  const { app } = await bootWith([warehouse.Module.forRoot(own.options())]);
  for (const provider of app.get(warehouse.Service).providers()) await provider.getToken();
  const [stock, , orders, , returns] = own.tokenRequests;
  const { clientId, clientSecret } = own.credentials('bankOrders', 'test');
  expect(stock?.fields).toEqual({
    grant_type: 'client_credentials',
    client_id: own.credentials('stock', 'test').clientId,
    client_secret: own.credentials('stock', 'test').clientSecret,
    scope: 'stock.read stock.write',
  });
  expect(orders?.fields).toEqual({ grant_type: 'client_credentials', audience: 'https://orders.example' });
  const [, basic = ''] = /^Basic (.*)$/.exec(String(orders?.headers.authorization)) ?? [];
  // RFC 6749 2.3.1: encoded as in a form, then joined, then base64.
  const encoded = new URLSearchParams([
    ['', clientId],
    ['', clientSecret],
  ])
    .toString()
    .slice(1)
    .replace('&=', ':');
  expect(Buffer.from(basic, 'base64').toString()).toBe(encoded);
  expect(returns?.fields).toMatchObject({
    client_id: own.credentials('returns', 'test').clientId,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    resource: 'https://returns.example/v1',
  });
  expect(returns?.fields).not.toHaveProperty('client_secret');
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

const depot = defineProvider({
  name: 'depot',
  environments: ['test', 'live'],
  interfaces: { stock: {}, orders: { tokenUrlPer: 'interface' } },
});

it.each([
  ['in memory', undefined],
  ['in a store', new MemoryTokenStore()],
])(
  'B31: with one client and one token URL for all pairs each pair has its own token %s',
  async (_, store) => {
    let count = 0;
    const server = await WireServer.start();
    onTestFinished(() => server.close());
    server.handler = (_request, response, { url }) =>
      void response
        .setHeader('Content-Type', 'application/json')
        .end(
          JSON.stringify(
            url === '/token'
              ? { access_token: `token-${(count += 1)}`, token_type: 'Bearer', expires_in: 600 }
              : {},
          ),
        );
    const tokenUrl = `${server.url}/token`;
    const client = { baseUrl: `${server.url}/api`, clientId: 'id', clientSecret: 'canary-of-16-letters' };
    const { app } = await bootWith([
      depot.Module.forRoot({
        environment: 'test',
        interfaces: {
          stock: { test: { ...client, tokenUrl }, live: { ...client, tokenUrl } },
          orders: { tokenUrl, test: client, live: client },
        },
        http: { httpsAgent: new Agent({ ca: server.ca }) },
        ...(store && { store }),
      }),
    ]);
    const sent = async (): Promise<unknown[]> => {
      server.seen = [];
      for (const { interface: of, environment } of depot.pairs)
        await app.get<HttpService>(depot.httpToken(of, environment)).axiosRef.get('/things');
      return server.seen.filter(({ url }) => url !== '/token').map(({ headers }) => headers.authorization);
    };
    const own = ['Bearer token-1', 'Bearer token-2', 'Bearer token-3', 'Bearer token-4'];
    expect(await sent()).toEqual(own);
    expect(await sent()).toEqual(own);
    expect(count).toBe(4);
  },
);
