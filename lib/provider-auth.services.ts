import type { ModulesContainer } from '@nestjs/core';
import { ProviderAuthService } from './provider-auth.service.js';

/** The services of all providers of an application. If a test replaces several registrations, they share one service. */
export function servicesIn(modules: ModulesContainer): ProviderAuthService<string, string>[] {
  const services = [...modules.values()].flatMap(({ providers }) =>
    [...providers.values()].flatMap(({ instance }) =>
      instance instanceof ProviderAuthService ? [instance as ProviderAuthService<string, string>] : [],
    ),
  );
  return [...new Set(services)];
}
