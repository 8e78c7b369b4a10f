import { Test, type TestingModule } from '@nestjs/testing';
import { TokenRequestError } from 'nestjs-provider-auth';
import { ProviderAuthTestingModule, ProviderSimulator } from 'nestjs-provider-auth/testing';
import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppModule } from './app.module.js';
import { PaymentsService } from './payments.service.js';

describe('the whole application, with a simulated provider', () => {
  let provider: ProviderSimulator;
  let app: TestingModule;

  beforeEach(async () => {
    provider = await ProviderSimulator.start();
    app = await ProviderAuthTestingModule.replaceIn(Test.createTestingModule({ imports: [AppModule] }), {
      options: provider.options({ token: { maxAttempts: 1 } }),
    }).compile();
    provider.api.for('easy').path('/payments/1').body({ paid: true });
  });

  afterEach(async () => {
    await app.close();
    await provider.close();
  });

  function state(): Promise<string> {
    return firstValueFrom(app.get(PaymentsService).state('1'));
  }

  it('requests one token for several payments', async () => {
    expect(await Promise.all([state(), state(), state()])).toEqual(['paid', 'paid', 'paid']);
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it('succeeds although its token was revoked', async () => {
    await state();
    provider.token.revokeAll();
    expect(await state()).toBe('paid');
    expect(provider.apiRequests.map(({ status }) => status)).toEqual([200, 401, 200]);
  });

  it('sends no request if no token is available', async () => {
    provider.token.status(503);
    await expect(state()).rejects.toThrow(TokenRequestError);
    expect(provider.apiRequests).toHaveLength(0);
  });
});
