import { Test } from '@nestjs/testing';
import { getTokenProviderToken, type TokenProvider } from 'nestjs-provider-auth';
import { firstValueFrom } from 'rxjs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { AppModule } from './app.module.js';
import { PaymentsService } from './payments.service.js';

const VARIABLES = ['TOKEN_URL', 'BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET'].map(
  (name) => `PROVIDER_EASY_SANDBOX_${name}`,
);

/** A secret may also be in a file. */
function isMissing(name: string): boolean {
  return !process.env[name] && !process.env[`${name}_FILE`];
}

const missing = VARIABLES.filter(isMissing);
const notRun = missing.length > 0 ? ` (NOT RUN, so this is not tested: set ${missing.join(', ')})` : '';

it.skipIf(notRun)(`the provider's own sandbox gives a token, and takes it${notRun}`, async () => {
  // This test never calls production, whatever the other variables are.
  vi.stubEnv('PROVIDER_ENVIRONMENT', 'sandbox');
  vi.stubEnv('PROVIDER_EASY_ENVIRONMENT', undefined);
  const app = await Test.createTestingModule({ imports: [AppModule] }).compile();
  onTestFinished(() => app.close());

  const token = await app.get<TokenProvider>(getTokenProviderToken('easy', 'sandbox')).getToken();
  expect(token.expiresAt.getTime()).toBeGreaterThan(Date.now());
  expect(await firstValueFrom(app.get(PaymentsService).state('no-such-payment'))).toBe('unknown');
});
