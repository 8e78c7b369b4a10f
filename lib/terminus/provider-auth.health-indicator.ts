import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { ProviderAuthService } from '../provider-auth.service.js';
import { systemClock } from '../time/clock.js';
import { describeHealth, isDown } from './interface-health.js';

/**
 * Whether the active environment of each configured interface has, or can have, a token. Reads what is known and makes
 * no request: a health check that runs every second costs the provider nothing.
 *
 * Listed among the providers of the module that imports `TerminusModule`, as any indicator of one's own.
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

  /** Up while every active token is or can be had; else down, with `code` and `retryAt` under the failing interface. */
  isHealthy<const Key extends string>(key: Key): Promise<HealthIndicatorResult<Key>> {
    const active = this.auth.status().filter((status) => status.active);
    const health = Object.fromEntries(active.map((status) => [status.interface, describeHealth(status)]));
    const indicator = this.indicators.check(key);
    const down = active.some((status) => isDown(status, systemClock.wall()));
    return Promise.resolve(down ? indicator.down(health) : indicator.up(health));
  }
}
