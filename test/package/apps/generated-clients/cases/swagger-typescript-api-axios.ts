import type { EasyHttpService } from 'nestjs-provider-auth';
import { Api, type Receipt } from '../src/generated/swagger-typescript-api-axios/payments.js';

export async function call(easy: EasyHttpService): Promise<Receipt> {
  // THE BLOCK
  return data;
}
