import type { OptionalFactoryDependency } from '@nestjs/common';
import type { Settings } from './config/options/profile.js';
import type { ProviderAuthService } from './provider-auth.service.js';

/**
 * What a test puts in place of every registration of the module: its options are not read, and the same instances are
 * injected everywhere. Its class is its injection token; the testing module provides it.
 *
 * @internal
 */
export class StandIn {
  constructor(
    readonly settings: Settings,
    readonly service: ProviderAuthService,
  ) {}
}

/** @internal */
export const OPTIONAL_STAND_IN: OptionalFactoryDependency = { token: StandIn, optional: true };

/** Only a real one counts: with `useMocker`, Nest puts a mock wherever something optional is missing. @internal */
export function standInOf(injected: unknown): StandIn | undefined {
  return injected instanceof StandIn ? injected : undefined;
}
