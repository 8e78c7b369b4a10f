import { Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { SafeLogger } from './logging/safe-logger.js';
import { PROVIDER_AUTH_SETTINGS } from './provider-auth.constants.js';
import { replaceableInTests } from './provider-auth.test-override.js';

/**
 * Every registration imports this module, and Nest creates it once for an application. So it can see that there are two
 * registrations (B29). In a test that replaces them, all of them inject the same instances.
 */
@Module({
  providers: [
    replaceableInTests(
      {
        provide: 'PROVIDER_AUTH:REGISTRATION_CHECK',
        useFactory: warnOfSecondRegistration,
        inject: [ModulesContainer],
      },
      () => undefined,
    ),
  ],
})
export class RegistrationCheckModule {}

function warnOfSecondRegistration(modules: ModulesContainer): void {
  const registrations = [...modules.values()].filter((module) => module.hasProvider(PROVIDER_AUTH_SETTINGS));
  if (registrations.length < 2) return;
  new SafeLogger().warn(
    `ProviderAuthModule is registered ${registrations.length} times in this application. Each registration has its own ` +
      'clients and asks for its own tokens. Call forRoot or forRootAsync once, in the root module.',
  );
}
