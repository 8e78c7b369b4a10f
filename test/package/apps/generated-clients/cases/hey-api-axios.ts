import type { EasyHttpService } from 'nestjs-provider-auth';
import { createClient } from '../src/generated/hey-api-axios/client/index.js';
import { getPayment, type Receipt } from '../src/generated/hey-api-axios/index.js';

export async function call(easy: EasyHttpService): Promise<Receipt> {
  // THE BLOCK
  return data;
}
