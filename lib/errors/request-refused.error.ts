import type {
  ProviderEnvironment,
  ProviderInterface,
  ProviderPair,
} from '../catalogue/provider-catalogue.js';
import { ProviderAuthError } from './provider-auth.error.js';

export type RequestRefusedErrorCode = 'OUTSIDE_BASE_URL' | 'INSECURE_URL' | 'INSECURE_REDIRECT';

const EXPLANATION: Record<RequestRefusedErrorCode, { reason: string; remedy: string }> = {
  OUTSIDE_BASE_URL: {
    reason: 'its address is not under the base URL.',
    remedy: 'Pass a path that stays under the base URL, or use a client of your own for other hosts.',
  },
  INSECURE_URL: {
    reason: 'its address is not https.',
    remedy: 'Pass a path instead of a whole address, or an https address under the base URL.',
  },
  INSECURE_REDIRECT: {
    reason: 'the API redirected it to an address that is not https.',
    remedy: 'Tell the provider, or set maxRedirects to 0 and handle the redirect yourself.',
  },
};

/** A request was refused before anything was sent where it must not go (S6, S9). The address is not repeated. */
export class RequestRefusedError extends ProviderAuthError {
  readonly interface: ProviderInterface;
  readonly environment: ProviderEnvironment;

  constructor(
    readonly code: RequestRefusedErrorCode,
    pair: ProviderPair,
  ) {
    const { reason, remedy } = EXPLANATION[code];
    super(`A request to ${pair.interface} ${pair.environment} was not sent: ${reason} ${remedy}`);
    this.interface = pair.interface;
    this.environment = pair.environment;
  }
}
