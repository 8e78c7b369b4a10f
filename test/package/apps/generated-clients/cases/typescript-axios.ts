import type { EasyHttpService } from 'nestjs-provider-auth';
import type { Receipt } from '../src/openapi-generator/models.js';
import { Configuration, PaymentsApi } from '../src/openapi-generator/typescript-axios.js';

export async function call(easy: EasyHttpService): Promise<Receipt> {
  // THE BLOCK
  return data;
}
