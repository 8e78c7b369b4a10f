import type { EasyHttpService } from 'nestjs-provider-auth';
import { getPayments, type Receipt } from '../src/generated/orval-axios/payments.js';

export async function call(easy: EasyHttpService): Promise<Receipt> {
  // THE BLOCK
  return data;
}
