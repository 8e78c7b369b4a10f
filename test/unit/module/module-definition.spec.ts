import { Global, Inject, Injectable, Module } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import type { Settings } from '../../../lib/config/options/profile.js';
import type { ProviderHttpService } from '../../../lib/http/provider-http.service.js';
import { injectionToken } from '../../../lib/module/injection-tokens.js';
import { createModuleClass } from '../../../lib/module/module-definition.js';
import { partsOf } from '../../../lib/module/parts.js';
import type { TokenProvider } from '../../../lib/token/token-provider.js';
import {
  bootWith,
  depotBaseUrl,
  depotOptions,
  depotPair,
  depotParts,
  StockHttp,
} from '../../support/application/depot.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const token = (kind: 'HTTP' | 'FETCH' | 'TOKEN_PROVIDER', ...place: string[]): string =>
  injectionToken('depot', kind, ...place);

@Injectable()
class Feature {
  constructor(@Inject('DEPOT_AUTH:HTTP:stock') readonly stock: ProviderHttpService) {}
}

@Module({ providers: [Feature] })
class FeatureModule {}

@Injectable()
class Factory {
  createProviderAuthOptions(): Promise<object> {
    return Promise.resolve(depotOptions({ environment: 'live' }));
  }
}

@Global()
@Module({ providers: [Factory], exports: [Factory] })
class FactoryModule {}

const activeOf = async (...imports: Parameters<typeof bootWith>[0]): Promise<unknown> => {
  const { app } = await bootWith(imports);
  return app.get<TokenProvider>(token('TOKEN_PROVIDER', 'stock')).environment;
};

describe('what an application can inject', () => {
  it('C1: is a token provider, an HTTP client and a fetch for each interface and environment', async () => {
    const parts = depotParts();
    const { app } = await bootWith([createModuleClass<object>(parts).forRoot(depotOptions())]);
    for (const { interface: of, environment } of parts.catalogue.pairs) {
      const baseUrl = of === 'stock' ? depotBaseUrl(of, environment) : '';
      const tokens = app.get<TokenProvider>(token('TOKEN_PROVIDER', of, environment));
      expect(tokens).toMatchObject({ interface: of, environment });
      const http = app.get<ProviderHttpService>(token('HTTP', of, environment));
      expect(http.baseUrl).toBe(baseUrl);
      expect(app.get(token('FETCH', of, environment))).toBe(http.fetch);
      expect(http instanceof StockHttp).toBe(of === 'stock');
    }
    expect(app.get(parts.Service)).toBeInstanceOf(parts.Service);
  });

  it('C5: without an environment it is the same instance as with the active one', async () => {
    const { Service, ...others } = depotParts();
    const parts = { Service, ...others };
    const options = depotOptions({ environment: 'live' });
    const { app } = await bootWith([createModuleClass<object>(parts).forRoot(options)]);
    for (const of of ['stock', 'bankOrders'])
      for (const kind of ['HTTP', 'FETCH', 'TOKEN_PROVIDER'] as const)
        expect(app.get(token(kind, of))).toBe(app.get(token(kind, of, 'live')));
    expect(app.get(StockHttp)).toBe(app.get(token('HTTP', 'stock')));
    expect(app.get(Service).client('stock').http).toBe(app.get(StockHttp));
  });

  it('C1: is there for modules that import nothing, unless isGlobal is false', async () => {
    const Depot = createModuleClass<object>(depotParts());
    const feature = { module: FeatureModule };
    for (const global of [
      Depot.forRoot(depotOptions()),
      Depot.forRoot(depotOptions({ isGlobal: true })),
      Depot.forRootAsync({ useFactory: () => depotOptions() }),
    ]) {
      const { app } = await bootWith([global, feature]);
      expect(app.get(Feature, { strict: false }).stock).toBe(app.get(StockHttp));
    }
    for (const local of [
      Depot.forRoot(depotOptions({ isGlobal: false })),
      Depot.forRootAsync({ isGlobal: false, useFactory: () => depotOptions() }),
    ]) {
      expect(String(await errorOf(bootWith([local, feature])))).toContain('DEPOT_AUTH:HTTP:stock');
      const { app } = await bootWith([local], [Feature]);
      expect(app.get(Feature).stock).toBe(app.get(StockHttp));
    }
  });
});

describe('where the options come from', () => {
  it('C1: from a factory with imports and inject', async () => {
    @Module({ providers: [{ provide: 'ACTIVE', useValue: 'live' }], exports: ['ACTIVE'] })
    class ActiveModule {}
    const Depot = createModuleClass<object>(depotParts());
    const active = await activeOf(
      Depot.forRootAsync({
        imports: [ActiveModule],
        inject: ['ACTIVE'],
        useFactory: (environment: string) => Promise.resolve(depotOptions({ environment })),
      }),
    );
    expect(active).toBe('live');
  });

  it('C1: from a class, and from an existing provider', async () => {
    const Depot = createModuleClass<object>(depotParts());
    expect(await activeOf(Depot.forRootAsync({ useClass: Factory }))).toBe('live');
    const existing = Depot.forRootAsync({ useExisting: Factory });
    expect(await activeOf({ module: FactoryModule }, existing)).toBe('live');
  });

  it('S10: the container holds validated settings, and not the options', async () => {
    const options = depotOptions();
    const Depot = createModuleClass<object>(depotParts());
    const definition = Depot.forRoot(options);
    expect(JSON.stringify(definition.providers)).not.toContain('secret-of-stock');
    const { app } = await bootWith([definition]);
    const held = app.get<{ settings: Settings }>('DEPOT_AUTH:SETTINGS');
    expect(held.settings.profiles.map(({ environment }) => environment)).toEqual(['test', 'live']);
    expect(JSON.stringify(held)).not.toContain('secret-of-stock');
  });

  it('C4: wrong options refuse the boot, and name the provider', async () => {
    const wrong = depotOptions({ interfaces: { stock: { test: {} } } });
    const Depot = createModuleClass<object>(depotParts());
    for (const definition of [Depot.forRoot(wrong), Depot.forRootAsync({ useFactory: () => wrong })])
      expect(await errorOf(bootWith([definition]))).toMatchObject({
        name: 'ProviderAuthConfigError',
        message: expect.stringContaining('The configuration of depot (nestjs-provider-auth) has 4 problems'),
      });
  });

  it('S10: a getter of isGlobal that throws ends nothing and is not printed: the module is global', async () => {
    const options = Object.defineProperty(depotOptions(), 'isGlobal', {
      enumerable: true,
      get: () => {
        throw new Error('canary');
      },
    });
    const Depot = createModuleClass<object>(depotParts());
    const { app, logs } = await bootWith([Depot.forRoot(options), { module: FeatureModule }]);
    expect(app.get(Feature, { strict: false }).stock).toBe(app.get(StockHttp));
    expect(logs.text).not.toContain('canary');
  });

  it.each(['reference', 'deep-hash'])(
    'S5: registrations that differ only in a secret stay two modules (%s)',
    async (moduleIdGeneratorAlgorithm) => {
      const Depot = createModuleClass<object>(depotParts());
      const withSecret = (clientSecret: string) =>
        Depot.forRoot(
          depotOptions({ interfaces: { stock: { test: depotPair('stock', 'test', { clientSecret }) } } }),
        );
      const imports = [withSecret('one secret of 20 chars'), withSecret('other secret of 22 chars')];
      const { logs } = await bootWith(imports, [], { moduleIdGeneratorAlgorithm });
      expect(logs.linesAboutTrouble()).toEqual([
        expect.stringContaining('depot.Module is registered 2 times'),
      ]);
    },
  );

  it('B29: a factory is called once for each registration', async () => {
    const useFactory = vi.fn<() => object>(() => depotOptions());
    await bootWith([createModuleClass<object>(depotParts()).forRootAsync({ useFactory })]);
    expect(useFactory).toHaveBeenCalledOnce();
  });
});

describe('the parts of a provider', () => {
  it('B24: are found in what defineProvider returned, and in nothing else', () => {
    const parts = depotParts();
    const defined = { [Symbol.for('nestjs-provider-auth:parts')]: parts };
    expect(partsOf(defined)).toBe(parts);
    for (const other of [{}, null, undefined, 'depot']) expect(partsOf(other)).toBeUndefined();
  });
});
