import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { ProviderAuthService } from '../provider-auth.service.js';
import { systemClock } from '../time/clock.js';
import { describeHealth, isDown } from './interface-health.js';

/**
 * Checks that the active environment of each configured interface has a token, or can get one. The check sends no request,
 * so a check every second costs the provider nothing.
 *
 * Use it for readiness, never for liveness: a restart does not end an outage of the provider. If only a part of the service
 * needs the provider, do not use it for readiness either.
 *
 * Add this class to the providers of the module that imports `TerminusModule`, like any custom indicator.
 *
 * @example
 * health.check([() => provider.isHealthy('provider')]);
 */
@Injectable()
export class ProviderAuthHealthIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly auth: ProviderAuthService,
  ) {}

  /** Up if every active pair has a token or can get one. Else down, with `code` and `retryAt` under the failing interface. */
  isHealthy<const Key extends string>(key: Key): Promise<HealthIndicatorResult<Key>> {
    const active = this.auth.status().filter((status) => status.active);
    const health = Object.fromEntries(active.map((status) => [status.interface, describeHealth(status)]));
    const indicator = this.indicators.check(key);
    const down = active.some((status) => isDown(status, systemClock.wall()));
    return Promise.resolve(down ? indicator.down(health) : indicator.up(health));
  }
}
