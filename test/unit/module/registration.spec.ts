import { setTimeout as pauseFor } from 'node:timers/promises';
import { type DynamicModule, Inject, Injectable, Module, Scope } from '@nestjs/common';
import { ModulesContainer, REQUEST } from '@nestjs/core';
import { describe, expect, it, vi } from 'vitest';
import { createModuleClass } from '../../../lib/module/module-definition.js';
import type { ProviderParts } from '../../../lib/module/parts.js';
import { servicesIn } from '../../../lib/module/registration.js';
import { BUILT_IN_NAME, createCatalogue } from '../../../lib/catalogue/catalogue.js';
import { bootWith } from '../../support/application/boot.js';
import { depotOptions, depotParts } from '../../support/application/depot.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const moduleOf = (parts: ProviderParts) => createModuleClass<object>(parts);

const registered = (parts: ProviderParts): DynamicModule => moduleOf(parts).forRoot(depotOptions());

const problemsOf = async (...imports: DynamicModule[]): Promise<unknown> => {
  const error = await errorOf(bootWith(imports));
  expect(error).toMatchObject({ name: 'ProviderAuthConfigError', code: 'CONFIG_INVALID' });
  return (error as { problems: unknown }).problems;
};

const ENTRY = { tokenUrlPer: 'environment', tokenPathExample: '/token' } as const;

const copy = (): ProviderParts => ({
  ...depotParts(),
  catalogue: createCatalogue(BUILT_IN_NAME, ['test', 'live'], { stock: ENTRY }),
  moduleName: 'ProviderAuthModule',
});

const same = (name: string) => ({
  path: `defineProvider(${name})`,
  message: `has the same name as another definition in this application (depot). Give each its own name.`,
});

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
    expect(app.get(partner.Service).askedPairs[0]?.provider).toBe('partner');
    expect(logs.linesAboutTrouble()).toEqual([]);
  });
});

it('B24: an application refuses definitions with one name at boot', async () => {
  expect(await problemsOf(registered(depotParts()), registered(depotParts()))).toEqual([same('depot')]);
  const three = [registered(depotParts()), registered(depotParts()), registered(depotParts())];
  expect(await problemsOf(...three)).toEqual([same('depot'), same('depot')]);
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

const withReturns = (name: string): ProviderParts => ({
  ...depotParts(name),
  catalogue: createCatalogue(name, ['test', 'live'], { stock: ENTRY, returns: ENTRY }),
});

/** A class whose constructor gets the client. */
function userOf(token: string, scope: Scope) {
  @Injectable({ scope })
  class User {
    constructor(@Inject(token) readonly client: unknown) {}
  }
  return User;
}

it.each([
  ['a factory', (token: string) => ({ provide: 'A', useFactory: () => 1, inject: [token] })],
  [
    'a factory that does without',
    (token: string) => ({ provide: 'A', useFactory: () => 1, inject: [{ token, optional: true }] }),
  ],
  ['a constructor', (token: string) => userOf(token, Scope.DEFAULT)],
  ['a request-scoped class', (token: string) => userOf(token, Scope.REQUEST)],
  [
    'a property',
    (token: string) => {
      @Injectable()
      class User {
        @Inject(token) readonly client: unknown;
      }
      return User;
    },
  ],
])(
  'B40: a client of an interface that is not configured is one warning that names the interface and its variables, if %s injects it',
  async (_, provide) => {
    const module = moduleOf(withReturns('unset')).forRoot(depotOptions());
    for (const [token, lines] of [
      ['UNSET_AUTH:HTTP:returns', 1],
      ['UNSET_AUTH:FETCH:returns:live', 1],
      ['UNSET_AUTH:TOKEN_PROVIDER:stock', 0],
    ] as const) {
      @Module({ providers: [provide(token)] })
      class UserModule {}
      const { logs } = await bootWith([module, { module: UserModule }]);
      const expected =
        'warn A client of returns is injected, but returns is not configured, so its calls will fail. Set ' +
        'UNSET_RETURNS_TEST_TOKEN_URL, UNSET_RETURNS_TEST_BASE_URL, UNSET_RETURNS_TEST_CLIENT_ID, ' +
        'UNSET_RETURNS_TEST_CLIENT_SECRET, or the options interfaces.returns. (NOT_CONFIGURED)';
      expect(logs.linesAboutTrouble()).toEqual(lines === 1 ? [expected] : []);
    }
  },
);

it('B29: the services of an application are those of all providers, each once', async () => {
  const [depot, archive] = [depotParts(), depotParts('archive')];
  const { app } = await bootWith([registered(depot), registered(archive)]);
  expect(servicesIn(app.get(ModulesContainer))).toEqual([app.get(depot.Service), app.get(archive.Service)]);
});

it('B24 S10: an application with several definitions warns once of a variable that makes Node print headers', async () => {
  vi.stubEnv('NODE_DEBUG', 'http');
  const { logs } = await bootWith([registered(depotParts()), registered(depotParts('archive'))]);
  expect(logs.linesAboutTrouble()).toEqual([
    expect.stringMatching(/^warn NODE_DEBUG prints the headers of every request/),
  ]);
});
