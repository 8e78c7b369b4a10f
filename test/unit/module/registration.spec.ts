import { setTimeout as pauseFor } from 'node:timers/promises';
import { type DynamicModule, Injectable, Module, Scope } from '@nestjs/common';
import { ModulesContainer, REQUEST } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { validateOptions } from '../../../lib/config/validate-options.js';
import { createModuleClass } from '../../../lib/module/module-definition.js';
import type { ProviderParts } from '../../../lib/module/parts.js';
import { cataloguesIn, replacementOf } from '../../../lib/module/registration.js';
import { BUILT_IN_NAME, createCatalogue } from '../../../lib/catalogue/catalogue.js';
import { bootWith, depotOptions, depotParts } from '../../support/application/depot.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const moduleOf = (parts: ProviderParts) => createModuleClass<object>(parts);

const registered = (parts: ProviderParts): DynamicModule => moduleOf(parts).forRoot(depotOptions());

/** Options of the only interface, whatever its name is. */
function registeredWith(of: string, parts: ProviderParts): DynamicModule {
  const { stock } = (depotOptions() as { interfaces: { stock: object } }).interfaces;
  return moduleOf(parts).forRoot(depotOptions({ interfaces: { [of]: stock } }));
}

const problemsOf = async (...imports: DynamicModule[]): Promise<unknown> => {
  const error = await errorOf(bootWith(imports));
  expect(error).toMatchObject({ name: 'ProviderAuthConfigError', code: 'CONFIG_INVALID' });
  return (error as { problems: unknown }).problems;
};

const copy = (): ProviderParts => ({
  ...depotParts(),
  catalogue: createCatalogue(BUILT_IN_NAME, ['test', 'live'], {
    stock: { tokenUrlPer: 'environment', tokenPathExample: '/token' },
  }),
  moduleName: 'ProviderAuthModule',
});

const same = (name: string) => ({
  path: `defineProvider(${name})`,
  message: `has the same name as another definition in this application (depot). Give each its own name.`,
});

const moduleClass = ([first]: DynamicModule[]): DynamicModule['module'] => {
  if (first === undefined) throw new TypeError('There is no import.');
  return first.module;
};

async function replacing(parts: ProviderParts) {
  const settings = await validateOptions(parts.catalogue, depotOptions(), {});
  const service = new parts.Service(settings, parts.httpServices);
  const replacedIn = vi.fn<() => Promise<{ settings: typeof settings; service: typeof service }>>(() =>
    Promise.resolve({ settings, service }),
  );
  @Module({ providers: [replacementOf(parts, replacedIn)] })
  class Replacement {}
  return { service, replacedIn, Replacement };
}

async function tested(of: ProviderParts, imports: DynamicModule[], module: DynamicModule | Function) {
  const logs = new CapturedLogs();
  const testing = await Test.createTestingModule({ imports })
    .overrideModule(moduleClass(imports))
    .useModule(module as DynamicModule)
    .setLogger(logs)
    .compile();
  onTestFinished(() => testing.close());
  await testing.init();
  return { service: testing.get(of.Service, { strict: false }), testing, logs };
}

describe('two registrations of one provider', () => {
  it('B29: are one warning, which says what to do', async () => {
    const parts = depotParts();
    const { logs } = await bootWith([registered(parts), registered(parts), registered(parts)]);
    expect(logs.linesAboutTrouble()).toEqual([
      'warn depot.Module is registered 3 times in this application. Each registration has its own clients and requests its ' +
        'own tokens. Call forRoot or forRootAsync once, in the root module.',
    ]);
  });

  it('B29: are one warning too, if two copies of this package define the built-in provider', async () => {
    const { logs } = await bootWith([registered(copy()), registered(copy())]);
    expect(logs.linesAboutTrouble()).toEqual([
      expect.stringContaining('ProviderAuthModule is registered 2 times'),
    ]);
  });

  it('B29: are none if one is imported in two places, or if there are two providers, also by an asynchronous import', async () => {
    const one = registered(depotParts());
    const partner = depotParts('partner');
    @Module({ imports: [one, pauseFor(50).then(() => registered(partner))] })
    class Billing {}
    const { app, logs } = await bootWith([one, { module: Billing }, registered(depotParts('archive'))]);
    expect(app.get(partner.Service).provider).toBe('partner');
    expect(logs.linesAboutTrouble()).toEqual([]);
  });
});

describe('B24: an application refuses at boot', () => {
  it('B24: definitions with one name, each pair of them', async () => {
    expect(await problemsOf(registered(depotParts()), registered(depotParts()))).toEqual([same('depot')]);
    const three = [registered(depotParts()), registered(depotParts()), registered(depotParts())];
    expect(await problemsOf(...three)).toEqual([same('depot'), same('depot'), same('depot')]);
  });

  it('B24: two definitions that use one variable, and names both', async () => {
    const bank = registeredWith('ordersStock', depotParts('bank', 'ordersStock'));
    const other = registered(depotParts('archive'));
    const bankOrders = registered(depotParts('bankOrders', 'stock'));
    expect(await problemsOf(bank, other, bankOrders)).toEqual([
      {
        path: 'defineProvider(bankOrders)',
        message:
          'uses the variable BANK_ORDERS_STOCK_ENVIRONMENT, which bank uses too. Rename one of the two definitions.',
      },
    ]);
  });
});

@Injectable({ scope: Scope.REQUEST })
class OptionsOfRequest {
  createProviderAuthOptions = depotOptions;
}

@Injectable({ scope: Scope.TRANSIENT })
class TransientLogger {}

@Module({ providers: [TransientLogger], exports: [TransientLogger] })
class LoggerModule {}

describe('C4: options that depend on a request', () => {
  it.each([
    ['inject it', { inject: [REQUEST], useFactory: () => depotOptions() }],
    ['come from such a class', { useClass: OptionsOfRequest }],
  ])('S8: are refused at boot if they %s', async (_, options) => {
    expect(await problemsOf(moduleOf(depotParts()).forRootAsync(options))).toEqual([
      {
        path: 'depot.Module.forRootAsync',
        message:
          'depends on a request-scoped provider, so each request or tenant would request its own token. Inject only singletons. ' +
          'For the credentials of each customer, set accounts.',
      },
    ]);
  });

  it('S8: are not those that inject a transient provider, such as a logger, and are made once', async () => {
    const useFactory = vi.fn<() => object>(() => depotOptions());
    const options = { imports: [LoggerModule], inject: [TransientLogger], useFactory };
    const { logs } = await bootWith([moduleOf(depotParts()).forRootAsync(options)]);
    expect(logs.linesAboutTrouble()).toEqual([]);
    expect(useFactory).toHaveBeenCalledOnce();
  });
});

describe('a registration that a test replaces', () => {
  it('B29: takes its service from there, reads no options, and is no second registration', async () => {
    const parts = depotParts();
    const Depot = moduleOf(parts);
    const useFactory = vi.fn<() => object>(() => ({}));
    const imports = [Depot.forRootAsync({ useFactory }), Depot.forRootAsync({ useFactory })];
    const { service: expected, Replacement, replacedIn } = await replacing(parts);
    const { service, logs, testing } = await tested(parts, imports, Replacement);
    expect(service).toBe(expected);
    expect(useFactory).not.toHaveBeenCalled();
    expect(replacedIn.mock.calls).toEqual([[testing.get(ModulesContainer)], [testing.get(ModulesContainer)]]);
    expect(logs.linesAboutTrouble()).toEqual([]);
  });

  it('B24: is no registration of another provider', async () => {
    const [parts, archive] = [depotParts(), depotParts('archive')];
    const imports = [registered(parts), registered(archive), registered(archive)];
    const { service: expected, Replacement } = await replacing(parts);
    const { service, testing, logs } = await tested(parts, imports, Replacement);
    expect(service).toBe(expected);
    expect(testing.get(archive.Service, { strict: false }).provider).toBe('archive');
    // The others are still counted.
    expect(logs.linesAboutTrouble()).toEqual([
      expect.stringContaining('archive.Module is registered 2 times'),
    ]);
  });

  it.each([
    [
      'depot.Module',
      depotParts(),
      'Use ProviderAuthTestingModule.forRoot({ provider }), or .withOptions(options, { provider }) for the real module, ' +
        'with what defineProvider() returned.',
    ],
    [
      'ProviderAuthModule',
      copy(),
      'Use ProviderAuthTestingModule.forRoot(), or .withOptions(options) for the real module.',
    ],
  ])('B29: is refused if the module of the test cannot replace %s', async (moduleName, parts, advice) => {
    @Module({})
    class Other {}
    const error = await errorOf(tested(parts, [registered(parts)], Other));
    const message = `was given a module that cannot replace it. ${advice}`;
    expect(error).toMatchObject({
      name: 'ProviderAuthConfigError',
      code: 'CONFIG_INVALID',
      problems: [{ path: `overrideModule(${moduleName})`, message }],
    });
  });
});

describe('the providers of an application', () => {
  it('B31: are those of all modules, also of modules that are added later', async () => {
    const [depot, archive] = [depotParts(), depotParts('archive')];
    const { app } = await bootWith([registered(depot), registered(archive)]);
    const modules = app.get(ModulesContainer);
    expect(cataloguesIn(modules)).toEqual([depot.catalogue, archive.catalogue]);
    const [first] = [...modules.entries()].filter(([, { metatype }]) => metatype.name === 'ProviderModule');
    if (first === undefined) throw new TypeError('The module is not there.');
    modules.delete(first[0]);
    expect(cataloguesIn(modules)).toEqual([archive.catalogue]);
    modules.set(...first);
  });
});
