import type { RenewalReason } from '../events/provider-auth-events.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { ClientCredential } from '../secrets/client-credential.js';
import type { Deadline } from '../time/deadline.js';
import type { Place } from './request-places.js';

/** Why a token is needed, and the signal that ends the work. */
export interface TokenNeed {
  readonly reason: RenewalReason;
  /** The token that the API refused, if that is the reason. */
  readonly refused?: AccessToken | undefined;
  /** The client secret, if a source on the way has read it already. The first attempt uses this reading, also a failed one (B8). */
  readonly secret?: Promise<ClientCredential> | undefined;
  /** Ends work that no caller waits for. A caller's own signal never gets here (B5). */
  readonly signal?: AbortSignal | undefined;
  /** The place that the first attempt uses, if a source on the way has taken one. */
  readonly place?: Place | undefined;
  /** No further attempt begins that could end later. */
  readonly ends?: Deadline | undefined;
  /** Is called when a token request has reached the token endpoint: its connection is open, and the request is sent. */
  readonly onSent?: (() => void) | undefined;
}

/** With every member, even if it is undefined: a missing one would be read from a polluted `Object.prototype` (B36). */
export type Whole<Parts> = { readonly [Member in keyof Required<Parts>]: Parts[Member] };

/**
 * Obtains tokens, or rejects with `TokenRequestError`. `CachedTokenProvider`, the outermost part, asks for one token at a time.
 * No timer and no connection of a source keeps the process alive: while callers wait, `Flight` does.
 */
export interface TokenSource {
  obtain(need: TokenNeed): Promise<AccessToken>;
}
