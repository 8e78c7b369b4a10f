import { describe, expect, it, vi } from 'vitest';
import { defineProvider } from '../../../lib/module/define.js';
import { partsOf } from '../../../lib/module/parts.js';
import { ProviderService } from '../../../lib/module/provider-service.js';
import { bootWith, depotBaseUrl, depotOptions } from '../../support/application/depot.js';
import type { ProviderHttpService } from '../../../lib/http/provider-http.service.js';
import type { TokenProvider } from '../../../lib/token/token-provider.js';

const define = (name = 'depot') =>
  defineProvider({ name, environments: ['test', 'live'], interfaces: { stock: {}, bankOrders: {} } });

type Depot = ReturnType<typeof define>;

const boot = ({ Module }: Depot) => bootWith([Module.forRoot(depotOptions() as never)]);

describe('a provider of your own', () => {
  it('B24: has its name and its pairs, which no code can change', () => {
    const depot = define();
    expect(depot.name).toBe('depot');
    expect(depot.pairs).toEqual([
      { interface: 'stock', environment: 'test' },
      { interface: 'stock', environment: 'live' },
      { interface: 'bankOrders', environment: 'test' },
      { interface: 'bankOrders', environment: 'live' },
    ]);
    for (const one of [depot, depot.pairs, ...depot.pairs]) expect(Object.isFrozen(one)).toBe(true);
    expect(Object.keys(depot)).not.toContain('parts');
    expect(partsOf(depot)).toMatchObject({ moduleName: 'depot.Module', httpServices: {} });
  });

  it.each([
    ['depot', 'Depot'],
    ['bankOrders', 'BankOrders'],
    ['bank-orders2', 'BankOrders2'],
  ])('B24: %s has classes that Nest shows as %s…', (name, title) => {
    const { Module, Service } = define(name);
    expect([Module.name, Service.name]).toEqual([`${title}AuthModule`, `${title}AuthService`]);
    expect(Service.prototype).toBeInstanceOf(ProviderService);
  });

  it('C1 B24: gives what its tokens name, and its service', async () => {
    const depot = define();
    const { app } = await boot(depot);
    const http = app.get<ProviderHttpService>(depot.httpToken('stock', 'live'));
    expect(http.baseUrl).toBe(depotBaseUrl('stock', 'live'));
    expect(app.get(depot.fetchToken('stock', 'live'))).toBe(http.fetch);
    const tokens = app.get<TokenProvider>(depot.tokenProviderToken('stock'));
    expect(tokens).toMatchObject({ interface: 'stock', environment: 'test' });
    expect(app.get(depot.Service).providers()).toContain(tokens);
  });

  it('B24: injects by decorators what its tokens name', async () => {
    const depot = define();
    class Consumer {
      constructor(readonly injected: readonly unknown[]) {}
    }
    class Http {
      constructor(readonly it: unknown) {}
    }
    class Fetch {
      constructor(readonly it: unknown) {}
    }
    class Tokens {
      constructor(readonly it: unknown) {}
    }
    depot.InjectHttp('stock', 'live')(Http, undefined, 0);
    depot.InjectFetch('stock', 'live')(Fetch, undefined, 0);
    depot.InjectTokenProvider('stock')(Tokens, undefined, 0);
    const { app } = await bootWith(
      [depot.Module.forRoot(depotOptions() as never)],
      [
        Http,
        Fetch,
        Tokens,
        {
          provide: Consumer,
          inject: [Http, Fetch, Tokens],
          useFactory: (...given: { it: unknown }[]) => new Consumer(given.map(({ it: one }) => one)),
        },
      ],
    );
    expect(app.get(Consumer).injected).toEqual([
      app.get(depot.httpToken('stock', 'live')),
      app.get(depot.fetchToken('stock', 'live')),
      app.get(depot.tokenProviderToken('stock')),
    ]);
  });

  it('B24: reads its options from variables that begin with its name, under its own key', () => {
    const depot = define();
    vi.stubEnv('DEPOT_ENVIRONMENT', 'live');
    vi.stubEnv('DEPOT_STOCK_LIVE_BASE_URL', 'https://stock.example/v1');
    expect(depot.config()).toMatchObject({
      environment: 'live',
      interfaces: { stock: { live: { baseUrl: 'https://stock.example/v1' } } },
    });
    expect(depot.config.KEY).toBe('CONFIGURATION(depotAuth)');
  });
});
