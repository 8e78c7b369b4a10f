import type { EasyHttpService } from 'nestjs-provider-auth';
import createClient from 'openapi-fetch';
import type { components, paths } from '../src/generated/openapi-fetch/schema.js';

export async function call(easy: EasyHttpService): Promise<components['schemas']['Receipt'] | undefined> {
  // THE BLOCK
  if (error !== undefined) throw error;
  return data;
}
