import { Module, type ValueProvider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { Catalogue } from './catalogue/catalogue.js';
import { SafeLogger } from './logging/safe-logger.js';
import { replacementToken } from './provider-auth.test-override.js';

/** One import of a module in an application. */
export interface Registration {
  readonly catalogue: Catalogue;
  readonly moduleName: string;
}

const REGISTRATION = 'PROVIDER_AUTH:REGISTRATION';

/** Marks the module of a registration, so that `RegistrationCheckModule` finds it. */
export function registrationOf({ catalogue, moduleName }: Registration): ValueProvider<Registration> {
  return { provide: REGISTRATION, useValue: { catalogue, moduleName } };
}

/**
 * Every registration imports this module, and Nest creates it once for an application. So it can see that there are two
 * registrations (B29). In a test that replaces them, all of them inject the same instances.
 */
@Module({
  providers: [
    {
      provide: 'PROVIDER_AUTH:REGISTRATION_CHECK',
      useFactory: checkRegistrations,
      inject: [ModulesContainer],
    },
  ],
})
export class RegistrationCheckModule {}

function checkRegistrations(modules: ModulesContainer): void {
  const all = [...modules.values()];
  const registrations = all.flatMap(
    (module) => (module.providers.get(REGISTRATION)?.instance as Registration | undefined) ?? [],
  );
  for (const { catalogue, moduleName } of new Map(
    registrations.map((one) => [one.catalogue, one]),
  ).values()) {
    const count = registrations.filter((one) => one.catalogue === catalogue).length;
    const isReplaced = all.some((module) => module.hasProvider(replacementToken(catalogue)));
    if (count < 2 || isReplaced) continue;
    new SafeLogger().warn(
      `${moduleName} is registered ${count} times in this application. Each registration has its own ` +
        'clients and asks for its own tokens. Call forRoot or forRootAsync once, in the root module.',
    );
  }
}
