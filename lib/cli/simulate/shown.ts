/** A request as it is shown: no query, no credential, no token. */
export interface ShownRequest {
  /** Counts all requests since the start. */
  readonly id: number;
  readonly at: string;
  readonly kind: 'token' | 'api';
  readonly interface?: string;
  readonly environment?: string;
  readonly account?: string;
  readonly method: string;
  readonly path: string;
  /** Absent if there was no HTTP answer. */
  readonly status?: number;
  readonly reason: string;
  readonly ok: boolean;
  /** The id of the fault that answered. */
  readonly fault?: number;
  readonly durationMs: number;
  /** Counts the requests of this kind and pair. */
  readonly count: number;
  /** The id of the refused call that this one repeats. */
  readonly resendOf?: number;
}

export interface Counts {
  readonly tokenRequests: number;
  readonly apiRequests: number;
  readonly failed: number;
  readonly failedTokenRequests: number;
  readonly failedCalls: number;
  /** Failed calls that were sent again and then worked. No caller saw the failure. */
  readonly recovered: number;
  /** Token requests that came too early: the last token was valid for at least half of its life. */
  readonly early: number;
}
