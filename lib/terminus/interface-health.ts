import type { ProviderStatus } from '../module/client.js';

/** One interface in a health report. It contains nothing that an attacker could use (S10). */
export interface InterfaceHealth {
  readonly environment: string;
  readonly state: ProviderStatus['state'];
  readonly expiresAt?: string;
  /** The code of the last failure. Absent after the next token was obtained. */
  readonly code?: string;
  /** The earliest time of the next token request. */
  readonly retryAt?: string;
  /** Why no request to the API succeeds: `API_UNREACHABLE`, `RENEWALS_PAUSED` or `API_FAILING`. */
  readonly api?: string;
  /** Present while the shared store fails. Requests go on, so this is not a reason for `down`. */
  readonly store?: 'failing';
}

/**
 * How long a failure of the API counts after the last call. Only a call can show that the API works again, and an instance that is
 * down gets no calls: without this limit, it would stay down for ever.
 */
const FORGOTTEN_AFTER_MS = 60_000;

/**
 * Down means that callers get an error, or would get one. A pair that has not asked for a token yet is not down. A failed token
 * request counts until a token request succeeds (B35): the module tries again by itself.
 */
export function isDown({ state, apiError }: ProviderStatus<string, string>, now: number): boolean {
  if (state === 'failing') return true;
  // An API that answers with errors only would do the same to every instance.
  if (apiError === undefined || apiError.code === 'API_FAILING') return false;
  return now < apiError.at.getTime() + FORGOTTEN_AFTER_MS;
}

export function describeHealth(status: ProviderStatus<string, string>): InterfaceHealth {
  const { environment, state, expiresAt, lastError, retryAt, apiError, store } = status;
  return {
    environment,
    state,
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    ...(lastError && { code: lastError.code }),
    ...(retryAt && { retryAt: retryAt.toISOString() }),
    ...(apiError && { api: apiError.code }),
    ...(store === 'failing' && { store }),
  };
}
