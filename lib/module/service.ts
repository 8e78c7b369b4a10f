import { Injectable } from '@nestjs/common';
import type { ProviderEnvironment, ProviderInterface } from '../catalogue/provider-catalogue.js';
import type { ProviderStatus } from './client.js';
import { ProviderService } from './provider-service.js';
import type { TokenProvider } from '../token/token-provider.js';

/**
 * All token providers of the application, and the status of their tokens.
 *
 * @example
 * const failing = auth.status().filter(({ active, state }) => active && state === 'failing');
 */
@Injectable()
export class ProviderAuthService extends ProviderService<ProviderInterface, ProviderEnvironment> {
  /** The token providers of all configured interfaces and environments. */
  override providers(): readonly TokenProvider[] {
    return super.providers();
  }

  /** The status of each token and of its API, without a request. It contains no secret. */
  override status(): readonly ProviderStatus[] {
    return super.status();
  }
}
