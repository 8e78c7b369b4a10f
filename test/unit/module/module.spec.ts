import { Inject, Injectable } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import {
  EasyHttpService,
  getProviderFetchToken,
  getProviderHttpToken,
  getTokenProviderToken,
  OriginationsHttpService,
  providerAuthConfig,
  ProviderAuthModule,
  type ProviderAuthOptions,
  ProviderAuthService,
} from '../../../lib/index.js';
import { bootWith } from '../../support/application/depot.js';

const OPTIONS: ProviderAuthOptions = {
  environment: 'sandbox',
  interfaces: {
    easy: {
      sandbox: {
        tokenUrl: 'https://sandbox.example/auth/v0/connect/token',
        baseUrl: 'https://sandbox.example/easy',
        clientId: 'client-of-easy',
        clientSecret: 'secret-of-easy',
      },
    },
  },
};

@Injectable()
class Checkout {
  constructor(
    readonly easy: EasyHttpService,
    readonly originations: OriginationsHttpService,
    readonly auth: ProviderAuthService,
    @Inject(getProviderHttpToken('easy', 'sandbox')) readonly sandbox: unknown,
  ) {}
}

describe('the module of the built-in provider', () => {
  it.each([
    ['forRoot', () => ProviderAuthModule.forRoot(OPTIONS)],
    ['forRootAsync', () => ProviderAuthModule.forRootAsync({ useFactory: () => OPTIONS })],
  ])('C1: %s gives its service, and its clients by class and by name', async (_, registered) => {
    const { app, logs } = await bootWith([registered()], [Checkout]);
    const { easy, originations, auth, sandbox } = app.get(Checkout);
    expect(sandbox).toBe(easy);
    expect([easy.baseUrl, originations.baseUrl]).toEqual(['https://sandbox.example/easy', '']);
    expect(easy).toBeInstanceOf(EasyHttpService);
    expect(originations).toBeInstanceOf(OriginationsHttpService);
    expect(auth.providers()).toEqual([app.get(getTokenProviderToken('easy'))]);
    expect(auth.status()).toEqual([
      { interface: 'easy', environment: 'sandbox', active: true, state: 'empty' },
    ]);
    expect(app.get(getProviderFetchToken('easy'))).toBe(easy.fetch);
    expect(logs.of('ProviderAuth')).toEqual([
      'log easy sandbox is active (API: sandbox.example, token URL: sandbox.example).',
    ]);
  });

  it('B29: is one warning if it is registered twice, by its name', async () => {
    const { logs } = await bootWith([
      ProviderAuthModule.forRoot(OPTIONS),
      ProviderAuthModule.forRoot(OPTIONS),
    ]);
    expect(logs.linesAboutTrouble()).toEqual([
      expect.stringContaining('warn ProviderAuthModule is registered 2 times'),
    ]);
  });

  it('C5: has its options from variables, under its own key', () => {
    vi.stubEnv('PROVIDER_ENVIRONMENT', 'production');
    expect(providerAuthConfig()).toMatchObject({ environment: 'production' });
    expect(providerAuthConfig.KEY).toBe('CONFIGURATION(providerAuth)');
  });
});
