import type { AsyncResource } from 'node:async_hooks';
import type { RenewalReason } from '../events/provider-auth-events.js';
import type { AccessToken } from '../secrets/access-token.js';

/** Why a token is needed, and the signal that ends the work. */
export interface TokenNeed {
  readonly reason: RenewalReason;
  /** The token that the API refused, if that is the reason. */
  readonly refused?: AccessToken | undefined;
  /** Ends work that no caller waits for. A caller's own signal never gets here. */
  readonly signal?: AbortSignal | undefined;
  /** The async context of the caller that began this. Only the token request runs in it, so that its span has a parent. */
  readonly caller?: Pick<AsyncResource, 'runInAsyncScope'> | undefined;
}
