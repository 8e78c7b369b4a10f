import type { EasyHttpService } from 'nestjs-provider-auth';
import { getPayment, type Receipt } from '../src/generated/orval-fetch/payments.js';

export async function call(easy: EasyHttpService): Promise<Receipt> {
  // THE BLOCK
  return data;
}
