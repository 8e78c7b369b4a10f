import { HttpService } from '@nestjs/axios';
import { Injectable, Module } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { bootWith } from '../../support/application/boot.js';
import {
  EasyHttpService,
  getProviderHttpToken,
  getTokenProviderToken,
  getProviderFetchToken,
  InjectProviderFetch,
  InjectProviderHttp,
  InjectTokenProvider,
  OriginationsHttpService,
  type ProviderAuthOptions,
  ProviderAuthConfigError,
  ProviderAuthModule,
  ProviderAuthService,
  type ProviderFetch,
  TokenProvider,
} from '../../../lib/index.js';
import { PROVIDER_PAIRS } from '../../support/application/built-in.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { startSimulator } from '../../support/application/simulator.js';
import { errorOf } from '../../support/token/token-fixtures.js';

@Injectable()
class Everything {
  constructor(
    readonly easy: EasyHttpService,
    readonly originations: OriginationsHttpService,
    readonly auth: ProviderAuthService,
    @InjectProviderHttp('easy') readonly activeEasy: HttpService,
    @InjectProviderHttp('easy', 'sandbox') readonly easySandbox: HttpService,
    @InjectProviderHttp('easy', 'production') readonly easyProduction: HttpService,
    @InjectProviderFetch('easy') readonly activeFetch: ProviderFetch,
    @InjectProviderFetch('easy', 'production') readonly productionFetch: ProviderFetch,
    @InjectTokenProvider('originations') readonly activeTokens: TokenProvider,
    @InjectTokenProvider('originations', 'sandbox') readonly sandboxTokens: TokenProvider,
    @InjectTokenProvider('originations', 'production') readonly productionTokens: TokenProvider,
  ) {}
}

@Module({ providers: [Everything], exports: [Everything] })
class FeatureModule {}

async function start(options: (provider: ProviderSimulator) => ProviderAuthOptions) {
  const provider = await startSimulator();
  const { app } = await bootWith([ProviderAuthModule.forRoot(options(provider)), FeatureModule]);
  return { app, provider, all: app.get(Everything) };
}

describe('injection', () => {
  it('C1: gives a token provider for each interface and environment', async () => {
    const { app } = await start((provider) => provider.options());
    for (const { interface: name, environment } of PROVIDER_PAIRS) {
      const tokens = app.get<TokenProvider>(getTokenProviderToken(name, environment));
      expect(tokens).toBeInstanceOf(TokenProvider);
      expect(tokens).toMatchObject({ interface: name, environment });
    }
    expect(app.get(ProviderAuthService).providers()).toHaveLength(PROVIDER_PAIRS.length);
  });

  it('C1: is global: a feature module injects without importing anything', async () => {
    const { all } = await start((provider) => provider.options());
    expect(all.easy).toBeInstanceOf(EasyHttpService);
    expect(all.originations).toBeInstanceOf(OriginationsHttpService);
  });

  it('C1 B21: gives a fetch for each interface and environment', async () => {
    const { app, all, provider } = await start((simulator) => simulator.options());
    for (const { interface: name, environment } of PROVIDER_PAIRS) {
      const fetch = app.get<ProviderFetch>(getProviderFetchToken(name, environment));
      expect(fetch.baseUrl).toBe(provider.baseUrl(name, environment));
      expect(await (await fetch('/x')).json()).toMatchObject({ interface: name, environment });
    }
    expect(all.activeFetch).toBe(all.easy.fetch);
    expect(all.activeFetch).toBe(app.get(getProviderFetchToken('easy', 'sandbox')));
    expect(all.easy.baseUrl).toBe(provider.baseUrl('easy', 'sandbox'));
    expect(all.productionFetch.baseUrl).toBe(provider.baseUrl('easy', 'production'));
  });

  it('C1: stays within its module when isGlobal is false', async () => {
    const provider = await startSimulator();
    const own = ProviderAuthModule.forRoot({ ...provider.options(), isGlobal: false });
    await expect(bootWith([own, FeatureModule])).rejects.toThrow(/EasyHttpService/);
  });

  it('C1: reaches each module that imports the same registration when isGlobal is false', async () => {
    const provider = await startSimulator();
    const registration = ProviderAuthModule.forRoot({ ...provider.options(), isGlobal: false });
    @Injectable()
    class Payments {
      constructor(readonly easy: EasyHttpService) {}
    }
    @Module({ imports: [registration], providers: [Payments] })
    class PaymentsModule {}
    const { app } = await bootWith([registration, PaymentsModule]);
    expect(app.get(Payments).easy).toBe(app.get(EasyHttpService));
  });

  it('C2: the class, the token without environment and the token of the active environment are one instance', async () => {
    const { app, all } = await start((provider) => provider.options({ environment: 'sandbox' }));
    expect(all.activeEasy).toBe(all.easy);
    expect(all.easySandbox).toBe(all.easy);
    expect(all.easyProduction).not.toBe(all.easy);
    expect(app.get(getProviderHttpToken('easy'))).toBe(all.easy);
    expect(all.activeTokens).toBe(all.sandboxTokens);
    expect(all.productionTokens).not.toBe(all.sandboxTokens);
  });

  it('S5: each client uses the credentials and addresses of its pair', async () => {
    const { app, provider } = await start((provider) => provider.options());
    for (const { interface: name, environment } of PROVIDER_PAIRS) {
      const client = app.get<HttpService>(getProviderHttpToken(name, environment));
      const { data } = await firstValueFrom(client.get<{ interface: string; environment: string }>('/where'));
      expect(data).toMatchObject({ interface: name, environment });
      const asked = provider.tokenRequests.at(-1);
      expect(asked?.fields['client_id']).toBe(provider.credentials(name, environment).clientId);
    }
    expect(provider.tokenRequests).toHaveLength(PROVIDER_PAIRS.length);
  });
});

function onlyEasySandbox(provider: ProviderSimulator): ProviderAuthOptions {
  const { interfaces, ...rest } = provider.options();
  const sandbox = interfaces.easy?.sandbox;
  return { ...rest, interfaces: { easy: { ...(sandbox && { sandbox }) } } };
}

it('a pair that is not configured is left out of providers() and status()', async () => {
  const { all } = await start(onlyEasySandbox);
  expect(all.auth.providers()).toHaveLength(1);
  expect(all.auth.status()).toEqual([
    { interface: 'easy', environment: 'sandbox', active: true, state: 'empty' },
  ]);
});

it('an interface without any configuration names the settings of the active environment', async () => {
  const { all } = await start((provider) => {
    const { originations } = provider.options().interfaces;
    return {
      ...provider.options(),
      environment: 'production',
      interfaces: { ...(originations && { originations }) },
    };
  });
  const error = await errorOf(firstValueFrom(all.easy.get('/x')));
  expect((error as ProviderAuthConfigError).problems.map(({ path }) => path)).toContain(
    'interfaces.easy.production.baseUrl',
  );
});
