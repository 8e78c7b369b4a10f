import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test, TestingModule } from '@nestjs/testing';
import {
  EasyHttpService,
  ProviderAuthConfigError,
  ProviderAuthModule,
  ProviderAuthService,
  providerAuthConfig,
} from 'nestjs-provider-auth';
import { ProviderAuthTestingModule, ProviderSimulator } from 'nestjs-provider-auth/testing';
import { of } from 'rxjs';
import { AppModule } from './app.module';
import { CheckoutService } from './checkout.service';

describe('CheckoutService', () => {
  let provider: ProviderSimulator;
  let app: TestingModule;

  beforeEach(async () => {
    provider = await ProviderSimulator.start();
    app = await Test.createTestingModule({
      imports: [ProviderAuthModule.forRoot(provider.options())],
      providers: [CheckoutService],
    }).compile();
  });

  afterEach(async () => {
    await app.close();
    await provider.close();
  });

  it('calls both interfaces, with one token each, and recovers a revoked token', async () => {
    const checkout = app.get(CheckoutService);
    expect(await checkout.application('1')).toBe('originations sandbox');
    for (const id of ['1', '2']) expect(await checkout.payment(id)).toBe('easy sandbox');
    expect(provider.tokenRequests).toHaveLength(2);
    provider.token.revokeAll();
    expect(await checkout.payment('3')).toBe('easy sandbox');
    expect(provider.apiRequests.map(({ status }) => status)).toEqual([200, 200, 200, 401, 200]);
    expect(provider.tokenRequests).toHaveLength(3);
  });

  it('B26: tokens expire and calls time out by the fake timers of Jest', async () => {
    const easy = app.get(EasyHttpService);
    jest.useFakeTimers();
    try {
      await easy.axiosRef.get('/payments/1');
      jest.setSystemTime(Date.now() + 3_601_000);
      await easy.axiosRef.get('/payments/2');
      expect(provider.tokenRequests).toHaveLength(2);
      provider.api.hang();
      const slow = easy.axiosRef.get('/slow', { timeout: 1_000 }).catch((reason) => reason.message);
      await jest.advanceTimersByTimeAsync(1_000);
      expect(await slow).toBe('timeout of 1000ms exceeded');
    } finally {
      jest.useRealTimers();
    }
  });

  it('does not boot with a wrong configuration', async () => {
    const options = provider.options({ interfaces: {} });
    const booted = Test.createTestingModule({ imports: [ProviderAuthModule.forRoot(options)] }).compile();
    await expect(booted).rejects.toBeInstanceOf(ProviderAuthConfigError);
  });
});

describe('A module that was imported before the registry of modules was reset', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secret-'));
  const registration = ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider());
  let provider: ProviderSimulator;

  beforeEach(async () => {
    provider = await ProviderSimulator.start();
    const { PROVIDER_EASY_SANDBOX_CLIENT_SECRET: secret, ...others } = provider.env();
    const file = join(folder, 'secret');
    writeFileSync(file, secret);
    jest.replaceProperty(process, 'env', { ...others, PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE: file });
    jest.resetModules();
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await provider.close();
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('still reads its configuration', async () => {
    const app = await Test.createTestingModule({ imports: [registration] }).compile();
    expect(app.get(ProviderAuthService).status()).toHaveLength(4);
    await app.close();
  });

  it('names the wrong variables in an error of the imported class', async () => {
    rmSync(join(folder, 'secret'));
    const booted = Test.createTestingModule({ imports: [registration] }).compile();
    const error = await booted.catch((reason) => reason);
    expect(error).toBeInstanceOf(ProviderAuthConfigError);
    expect(error.problems.map(({ env }) => env)).toEqual(['PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE']);
  });
});

describe('CheckoutService in its application, without a network', () => {
  let app: TestingModule;
  let easy: EasyHttpService;

  beforeEach(async () => {
    const builder = Test.createTestingModule({
      imports: [AppModule.with({ environment: 'production', interfaces: {} })],
    });
    app = await ProviderAuthTestingModule.replaceIn(builder, { environment: 'production' }).compile();
    easy = app.get(EasyHttpService);
  });

  afterEach(() => app.close());

  it('gets its answer from a spy', async () => {
    const get = jest.spyOn(easy, 'get');
    get.mockReturnValue(of({ data: { interface: 'easy', environment: 'spied' } } as never));
    expect(await app.get(CheckoutService).payment('7')).toBe('easy spied');
    expect(get).toHaveBeenCalledWith('/payments/7');
  });

  it('gets advice at once for a request without a mock, also with fake timers', async () => {
    jest.useFakeTimers();
    await expect(app.get(CheckoutService).application('1')).rejects.toThrow(
      /^No mock answers GET https:\/\/originations\.production\.invalid\/applications\/1/,
    );
    jest.useRealTimers();
  });
});
