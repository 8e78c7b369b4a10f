import { Test, TestingModule } from '@nestjs/testing';
import {
  EasyHttpService,
  ProviderAuthConfigError,
  ProviderAuthModule,
  ProviderAuthService,
} from 'nestjs-provider-auth';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
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

  it('calls both interfaces, with one token each', async () => {
    const checkout = app.get(CheckoutService);
    expect(await checkout.payment('1')).toBe('easy sandbox');
    expect(await checkout.payment('2')).toBe('easy sandbox');
    expect(await checkout.application('1')).toBe('originations sandbox');
    expect(provider.tokenRequests).toHaveLength(2);
  });

  it('recovers a revoked token', async () => {
    const checkout = app.get(CheckoutService);
    await checkout.payment('1');
    provider.token.revokeAll();
    expect(await checkout.payment('2')).toBe('easy sandbox');
    expect(provider.apiRequests.map(({ status }) => status)).toEqual([200, 401, 200]);
    expect(provider.tokenRequests).toHaveLength(2);
  });

  it('gets the error of the API as axios gives it, without the token', async () => {
    provider.api.next().status(500);
    const error = await app
      .get(CheckoutService)
      .payment('1')
      .catch((reason) => reason);
    expect(error.response.status).toBe(500);
    expect(JSON.stringify(error)).not.toContain(provider.tokenRequests[0].token);
  });

  it('finds the classes that it injects', () => {
    expect(app.get(EasyHttpService)).toBeInstanceOf(EasyHttpService);
    expect(
      app
        .get(ProviderAuthService)
        .status()
        .map(({ state }) => state),
    ).toContain('empty');
  });

  it('does not boot with a wrong configuration', async () => {
    const options = provider.options({ interfaces: {} });
    const booted = Test.createTestingModule({ imports: [ProviderAuthModule.forRoot(options)] }).compile();
    await expect(booted).rejects.toBeInstanceOf(ProviderAuthConfigError);
  });
});
