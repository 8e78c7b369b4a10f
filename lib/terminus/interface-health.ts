import type { TokenStatus } from '../token/token-provider.js';

/** What a health report tells of one interface: nothing that a stranger could use (S10). */
export interface InterfaceHealth {
  readonly environment: string;
  readonly state: TokenStatus['state'];
  readonly expiresAt?: string;
  /** Of the last failure, as long as no token has been obtained since. */
  readonly code?: string;
  /** When a token is asked for again, at the earliest. */
  readonly retryAt?: string;
}

/**
 * How long after its `retryAt` a failure still counts although nobody has tried again. A health check asks for nothing
 * itself: an instance that gets no traffic because it is down would otherwise stay down for ever.
 */
const FORGOTTEN_AFTER_MS = 60_000;

/** Down means: callers fail, or would fail as far as is known. A token that can still be asked for is as good as one. */
export function isDown(status: TokenStatus, now: number): boolean {
  if (status.state !== 'failing') return false;
  const last = status.retryAt ?? status.lastError?.at;
  return last === undefined || now < last.getTime() + FORGOTTEN_AFTER_MS;
}

export function describeHealth(status: TokenStatus): InterfaceHealth {
  const { environment, state, expiresAt, lastError, retryAt } = status;
  return {
    environment,
    state,
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    ...(lastError && { code: lastError.code }),
    ...(retryAt && { retryAt: retryAt.toISOString() }),
  };
}
