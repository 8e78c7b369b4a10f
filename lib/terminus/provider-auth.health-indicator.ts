import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { interfaceName } from '../catalogue/catalogue.js';
import type { ProviderStatus } from '../module/client.js';
import { pairsIn } from '../module/registration.js';
import { systemClock } from '../time/clock.js';

type Status = ProviderStatus<string, string>;

/**
 * Checks that the active environment of each configured interface has a token, or can get one. Another environment counts for
 * 10 minutes after each use, as `easy.production`. The report covers all of your app's providers; your own provider's
 * interfaces appear as `warehouse.stock`.
 *
 * The check itself sends no request, so a check every second costs the provider nothing. If token requests fail while something
 * runs the check, the module tries again by itself at `retryAt`, so an instance without traffic recovers.
 *
 * Use it for readiness, never for liveness: a restart doesn't end a provider outage. If only part of your service needs the
 * provider, don't use it for readiness either.
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

  /**
   * "Up" if every pair in use has a token or can get one; otherwise "down", with `code` and `retryAt` under the failing
   * interface.
   */
  isHealthy<const Key extends string>(key: Key): Promise<HealthIndicatorResult<Key>> {
    const pairs = pairsIn(this.modules);
    const indicator = this.indicators.check(key);
    if (pairs.length === 0)
      return Promise.resolve(indicator.down({ message: 'ProviderAuthModule is not in this application.' }));
    const used = pairs
      .filter((pair) => pair.isInUse())
      .map((pair) => {
        const status = pair.status();
        return { name: nameOf(pair.provider, status), health: describeHealth(status), down: isDown(status) };
      });
    // If the module is registered twice, a failing pair must not be hidden by a healthy one of the same name.
    const shown = used.toSorted((one, other) => Number(one.down) - Number(other.down));
    const report = Object.fromEntries(shown.map(({ name, health }) => [name, health]));
    return Promise.resolve(used.some(({ down }) => down) ? indicator.down(report) : indicator.up(report));
  }
}

/** The interfaces of two providers may have the same name, and so have two environments of one interface. */
function nameOf(provider: string, status: Status): string {
  const name = interfaceName({ provider, interface: status.interface }, '.');
  return status.active ? name : `${name}.${status.environment}`;
}

/** It contains nothing that an attacker could use (S10). */
function describeHealth({ environment, state, expiresAt, lastError, retryAt, apiError, store }: Status) {
  return {
    environment,
    state,
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    ...(lastError && { code: lastError.code }),
    ...(retryAt && { retryAt: retryAt.toISOString() }),
    ...(apiError && { api: apiError.code }),
    // Requests go on while the shared store fails, so this is not a reason for `down`.
    ...(store === 'failing' && { store }),
  };
}

/**
 * How long a failure of the API counts after the last call. Only a call can show that the API works again, and an instance that is
 * down gets no calls: without this limit, it would stay down for ever.
 */
const FORGOTTEN_AFTER_MS = 60_000;

/**
 * Down means that callers get an error, or would get one. A pair that has not asked for a token yet is not down. A failed token
 * request counts until a token request succeeds: the module tries again by itself.
 */
function isDown({ state, apiError }: Status): boolean {
  if (state === 'failing') return true;
  // An API that answers with errors only would do the same to every instance.
  if (apiError === undefined || apiError.code === 'API_FAILING') return false;
  return systemClock.wall() < apiError.at.getTime() + FORGOTTEN_AFTER_MS;
}
