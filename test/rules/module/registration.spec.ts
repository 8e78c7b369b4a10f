import { inspect } from 'node:util';
import { Global, Injectable, Module } from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import {
  defineProvider,
  EasyHttpService,
  ProviderAuthConfigError,
  ProviderAuthModule,
  type ProviderAuthOptions,
  type ProviderAuthOptionsFactory,
  ProviderAuthService,
} from '../../../lib/index.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { errorOf } from '../../support/token/token-fixtures.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';
import { CanaryScanner, findCanaries } from '../../support/secrets/canary-scanner.js';
import { startSimulator } from '../../support/application/simulator.js';
import { bootWith } from '../../support/application/boot.js';

type Imports = Parameters<typeof bootWith>[0];

const boot = async (imports: Imports, options: object = {}) => (await bootWith(imports, [], options)).app;

async function canCall(app: { get(token: typeof EasyHttpService): EasyHttpService }): Promise<number> {
  return (await firstValueFrom(app.get(EasyHttpService).get('/x'))).status;
}

describe('a module that is imported without forRoot', () => {
  const archive = defineProvider({ name: 'archive', environments: ['test'], interfaces: { stock: {} } });
  it.each([
    ['B40: ProviderAuthModule, and nothing injects a client', 'ProviderAuthModule', ProviderAuthModule],
    ['B40: the module of a definition', 'archive.Module', archive.Module],
  ])('%s: the boot fails, and says what to do', async (_, name, bare) => {
    const error = await errorOf(boot([bare]));
    expect(error).toBeInstanceOf(ProviderAuthConfigError);
    expect(String(error)).toMatch(/ was imported without forRoot\(\) or forRootAsync\(\)\. Import /);
    const config = bare === ProviderAuthModule ? 'providerAuthConfig' : 'archive.config';
    expect(String(error)).toContain(`Import ${name}.forRootAsync(${config}.asProvider()) once, in the root`);
    expect(error).toHaveProperty('problems.0.path', name);
  });

  it('B40: the boot fails even if another module of the application registers it', async () => {
    const provider = await startSimulator();
    @Module({ imports: [ProviderAuthModule] })
    class FeatureModule {}
    const registered = ProviderAuthModule.forRoot(provider.options());
    expect(String(await errorOf(boot([FeatureModule, registered])))).toMatch(
      /was imported without forRoot\(\)/,
    );
    // Another application of the same process.
    expect(await canCall(await boot([registered]))).toBe(200);
  });

  it('B40: a class of the application may extend it, with a constructor of its own', async () => {
    const provider = await startSimulator();
    class OwnModule extends ProviderAuthModule {
      readonly isOwn: boolean;
      constructor() {
        super();
        this.isOwn = true;
      }
    }
    const app = await boot([OwnModule.forRoot(provider.options())]);
    expect(app.get(OwnModule).isOwn).toBe(true);
    expect(await canCall(app)).toBe(200);
  });
});

it('C1: forRootAsync takes a class', async () => {
  const provider = await startSimulator();
  @Injectable()
  class Factory implements ProviderAuthOptionsFactory {
    createProviderAuthOptions(): ProviderAuthOptions {
      return provider.options();
    }
  }
  expect(await canCall(await boot([ProviderAuthModule.forRootAsync({ useClass: Factory })]))).toBe(200);
});

it('C1: forRootAsync takes an existing provider', async () => {
  const provider = await startSimulator();
  @Injectable()
  class Factory implements ProviderAuthOptionsFactory {
    createProviderAuthOptions(): Promise<ProviderAuthOptions> {
      return Promise.resolve(provider.options());
    }
  }
  @Global()
  @Module({ providers: [Factory], exports: [Factory] })
  class FactoryModule {}
  const module = ProviderAuthModule.forRootAsync({ useExisting: Factory });
  expect(await canCall(await boot([FactoryModule, module]))).toBe(200);
});

describe('secrets and the container', () => {
  const canary = 'canary-secret-7d1f';

  function withCanary(provider: ProviderSimulator): ProviderAuthOptions {
    provider.rotateSecret('easy', 'sandbox', canary);
    const { clientId } = provider.credentials('easy', 'sandbox');
    return provider.options({
      interfaces: {
        easy: {
          sandbox: {
            tokenUrl: provider.tokenUrl('easy', 'sandbox'),
            baseUrl: provider.baseUrl('easy', 'sandbox'),
            tls: { ca: provider.ca },
            clientId,
            clientSecret: canary,
          },
        },
      },
    });
  }

  it.each(['forRoot', 'forRootAsync'] as const)(
    'S10: nothing that Nest holds after %s shows a secret',
    async (how) => {
      const provider = await startSimulator();
      const options = withCanary(provider);
      const app = await boot([
        how === 'forRoot'
          ? ProviderAuthModule.forRoot(options)
          : ProviderAuthModule.forRootAsync({ useFactory: () => options }),
      ]);
      await firstValueFrom(app.get(EasyHttpService).get('/x'));
      // Nest's providers lead to the whole container. All providers of the module are searched.
      const [module] = [...app.get(ModulesContainer).values()].filter(
        ({ metatype }) => metatype === ProviderAuthModule,
      );
      const own = [...(module?.providers.values() ?? [])].filter(
        ({ token }) => token !== ModuleRef && token !== ProviderAuthModule,
      );
      const held = own.map(({ instance }): unknown => instance);
      expect(held.length).toBeGreaterThan(15);
      const { clientId } = provider.credentials('easy', 'sandbox');
      const token = provider.tokenRequests.at(-1)?.token ?? '';
      const scanner = new CanaryScanner({ secret: canary, clientId, token });
      expect(scanner.scanReach(held)).toEqual([]);
      expect(scanner.scanText(inspect(held, { depth: 8, showHidden: true }))).toEqual([]);
    },
  );

  it('S10: a factory that throws its options does not get them into the error or the log', async () => {
    const logs = new CapturedLogs();
    const failing = ProviderAuthModule.forRootAsync({
      useFactory: () => {
        throw new RangeError(`cannot use ${canary}`);
      },
    });
    const error = await errorOf(boot([failing], { logger: logs }));
    expect(error).toBeInstanceOf(ProviderAuthConfigError);
    expect((error as Error).message).toContain('RangeError');
    expect(findCanaries([error, logs.lines], { secret: canary })).toEqual([]);
    expect(logs.text).toContain('RangeError');
  });

  it('S10: options of forRoot whose getters throw fail the boot, without their text', async () => {
    const options = {
      environment: 'sandbox' as const,
      get interfaces(): never {
        throw new Error(`no ${canary}`);
      },
      get isGlobal(): never {
        throw new Error(`not ${canary} either`);
      },
    };
    const error = await errorOf(boot([ProviderAuthModule.forRoot(options)]));
    expect(error).toBeInstanceOf(ProviderAuthConfigError);
    expect(findCanaries(error, { secret: canary })).toEqual([]);
  });

  it.each(['reference', 'deep-hash'] as const)(
    'S5: two registrations that differ only in a secret stay two modules (%s)',
    async (moduleIdGeneratorAlgorithm) => {
      const provider = await startSimulator();
      const options = (clientSecret: string): ProviderAuthOptions => {
        const { easy } = withCanary(provider).interfaces;
        return {
          ...withCanary(provider),
          interfaces: { easy: { sandbox: { ...easy!.sandbox!, clientSecret } } },
        };
      };
      const settings = (clientSecret: string) =>
        ProviderAuthModule.forRoot({ ...options(clientSecret), isGlobal: false });
      @Injectable()
      class Left {
        constructor(readonly easy: EasyHttpService) {}
      }
      @Injectable()
      class Right {
        constructor(readonly easy: EasyHttpService) {}
      }
      @Module({ imports: [settings(canary)], providers: [Left] })
      class LeftModule {}
      @Module({ imports: [settings('another-secret')], providers: [Right] })
      class RightModule {}
      const app = await boot([LeftModule, RightModule], { moduleIdGeneratorAlgorithm });
      expect(app.get(Left).easy).not.toBe(app.get(Right).easy);
      expect((await firstValueFrom(app.get(Left).easy.get('/x'))).status).toBe(200);
      await expect(firstValueFrom(app.get(Right).easy.get('/x'))).rejects.toMatchObject({
        code: 'TOKEN_REJECTED',
      });
    },
  );
});

it('S5: two applications in one process are independent: each has its own tokens, and closing one does not affect the other', async () => {
  const [one, other] = [await startSimulator(), await startSimulator()];
  const first = await boot([ProviderAuthModule.forRoot(one.options())]);
  const second = await boot([ProviderAuthModule.forRoot(other.options())]);
  await firstValueFrom(first.get(EasyHttpService).get('/x'));
  expect([one.tokenRequests.length, other.tokenRequests.length]).toEqual([1, 0]);
  await first.close();
  await firstValueFrom(second.get(EasyHttpService).get('/x'));
  expect([one.tokenRequests.length, other.tokenRequests.length]).toEqual([1, 1]);
  expect(
    second
      .get(ProviderAuthService)
      .status()
      .filter(({ state }) => state === 'valid'),
  ).toHaveLength(1);
});
