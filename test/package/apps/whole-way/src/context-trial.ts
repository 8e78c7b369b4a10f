import { NestFactory } from '@nestjs/core';
import type { ProviderAuthOptions } from 'nestjs-provider-auth';
import type { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { AppModule } from './app.module.js';
import { CheckoutService } from './checkout.service.js';
import { OwnWarnings } from './own-warnings.js';
import { place } from './payments.controller.js';

/** The same application without a server: two calls, and one after the token was revoked. */
export async function contextTrial(provider: ProviderSimulator, trial: Partial<ProviderAuthOptions>) {
  provider.reset();
  const logger = new OwnWarnings();
  const app = await NestFactory.createApplicationContext(AppModule.with(trial), {
    logger,
    abortOnError: false,
  });
  const checkout = app.get(CheckoutService);
  const calls = [await checkout.payment('1'), await checkout.payment('2')];
  provider.token.revokeAll();
  const recovered = await checkout.payment('3');
  await app.close();
  return {
    calls: calls.map(place),
    recovered: place(recovered),
    statuses: provider.apiRequests.map(({ status }) => status),
    tokenRequests: provider.tokenRequests.length,
    warnings: logger.texts,
  };
}
