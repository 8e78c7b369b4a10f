import { Test, type TestingModule } from '@nestjs/testing';
import MockAdapter from 'axios-mock-adapter';
import { EasyHttpService } from 'nestjs-provider-auth';
import { ProviderAuthTestingModule } from 'nestjs-provider-auth/testing';
import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PaymentsService } from './payments.service.js';

describe('PaymentsService, without a network', () => {
  let app: TestingModule;
  let api: MockAdapter;

  beforeEach(async () => {
    app = await Test.createTestingModule({
      imports: [ProviderAuthTestingModule.forRoot()],
      providers: [PaymentsService],
    }).compile();
    // `as never`, because under NodeNext axios-mock-adapter has only the CommonJS types of axios.
    api = new MockAdapter(app.get(EasyHttpService).axiosRef as never);
  });

  afterEach(() => app.close());

  function state(id: string): Promise<string> {
    return firstValueFrom(app.get(PaymentsService).state(id));
  }

  it.each([
    [true, 'paid'],
    [false, 'open'],
  ])('returns for a payment with paid: %s the state %s', async (paid, expected) => {
    api.onGet('/payments/1').reply(200, { paid });
    expect(await state('1')).toBe(expected);
  });

  it('returns unknown for a payment that the provider does not know', async () => {
    api.onGet('/payments/2').reply(404);
    expect(await state('2')).toBe('unknown');
  });

  it('passes an error of the provider on', async () => {
    api.onGet('/payments/3').reply(500);
    await expect(state('3')).rejects.toThrow('500');
  });

  it('encodes an identifier before it becomes a part of the path', async () => {
    api.onGet('/payments/..%2Frefunds').reply(200, { paid: true });
    expect(await state('../refunds')).toBe('paid');
  });
});
