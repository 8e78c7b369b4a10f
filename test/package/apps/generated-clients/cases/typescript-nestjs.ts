import { EasyHttpService } from 'nestjs-provider-auth';
import { firstValueFrom } from 'rxjs';
import type { Receipt } from '../src/openapi-generator/typescript-nestjs.js';
import { Configuration, PaymentsService } from '../src/openapi-generator/typescript-nestjs.js';

// THE BLOCK

export async function call(easy: EasyHttpService): Promise<Receipt> {
  const { data } = await firstValueFrom(payments.useFactory(easy).getPayment('1'));
  return data;
}
