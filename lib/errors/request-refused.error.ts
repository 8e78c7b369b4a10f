import type {
  ProviderEnvironment,
  ProviderInterface,
  ProviderPair,
} from '../catalogue/provider-catalogue.js';
import { ProviderAuthError } from './provider-auth.error.js';
import { TRUST_PRIVATE_AUTHORITY } from './remedies.js';

/** Why a request was refused. */
export type RequestRefusedErrorCode =
  /** Its final address is not under the base URL. */
  | 'OUTSIDE_BASE_URL'
  /** Its final address is not https. */
  | 'INSECURE_URL'
  /** The API redirected it to an address that is not https. */
  | 'INSECURE_REDIRECT';

/** @hidden */
export interface Explanation {
  readonly reason: string;
  readonly remedy: string;
}

const EXPLANATION: Record<RequestRefusedErrorCode, Explanation> = {
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

/** Why an https address is no safer than `http:` to a request that checks no certificate: another `INSECURE_URL`. */
export const UNCHECKED_CERTIFICATE: Explanation = {
  reason:
    'it would accept any certificate (rejectUnauthorized: false, or NODE_TLS_REJECT_UNAUTHORIZED=0), so anybody could answer it.',
  remedy: `Remove that. To trust a private authority, ${TRUST_PRIVATE_AUTHORITY}.`,
};

/** An `INSECURE_URL` as well: the certificate of another host would do. */
export const UNCHECKED_NAME: Explanation = {
  reason: 'a checkServerIdentity of its own would replace the check that the certificate is for the host.',
  remedy: 'Put that function into an agent of node:https (not a class of its own), where both are checked.',
};

/** A request was refused before anything was sent where it must not go (S6, S9). The address is not repeated. */
export class RequestRefusedError extends ProviderAuthError {
  /** Whose client refused it. */
  readonly interface: ProviderInterface;
  /** The environment of that client. */
  readonly environment: ProviderEnvironment;

  /** @hidden */
  constructor(
    readonly code: RequestRefusedErrorCode,
    pair: ProviderPair,
    { reason, remedy }: Explanation = EXPLANATION[code],
  ) {
    super(`A request to ${pair.interface} ${pair.environment} was not sent: ${reason} ${remedy}`);
    this.interface = pair.interface;
    this.environment = pair.environment;
  }
}
