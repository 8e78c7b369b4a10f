import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { interfaceName } from '../catalogue/catalogue.js';
import { servicesIn } from '../module/provider-service.js';
import { systemClock } from '../time/clock.js';
import { describeHealth, isDown } from './interface-health.js';

/**
 * Checks that the active environment of each configured interface has a token, or can get one. All providers of the
 * application are in the report: an interface of your own provider as `warehouse.stock`. The check sends no request,
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
    private readonly modules: ModulesContainer,
  ) {}

  /** Up if every active pair has a token or can get one. Else down, with `code` and `retryAt` under the failing interface. */
  isHealthy<const Key extends string>(key: Key): Promise<HealthIndicatorResult<Key>> {
    const services = servicesIn(this.modules);
    const indicator = this.indicators.check(key);
    if (services.length === 0)
      return Promise.resolve(indicator.down({ message: 'ProviderAuthModule is not in this application.' }));
    const active = services.flatMap((service) =>
      service
        .status()
        .filter((status) => status.active)
        .map((status) => ({
          // The interfaces of two providers may have the same name.
          name: interfaceName({ provider: service.provider, interface: status.interface }, '.'),
          health: describeHealth(status),
          down: isDown(status, systemClock.wall()),
        })),
    );
    // If the module is registered twice, a failing pair must not be hidden by a healthy one of the same name.
    const shown = [...active.filter(({ down }) => !down), ...active.filter(({ down }) => down)];
    const report = Object.fromEntries(shown.map(({ name, health }) => [name, health]));
    return Promise.resolve(active.some(({ down }) => down) ? indicator.down(report) : indicator.up(report));
  }
}
