/** The numbers of the rules that the checkers use. */

/** `token.timeoutMs` in the applications of the soak: the timeout of one token request. */
export const TOKEN_TIMEOUT_MS = 5_000;
/** The default of `maxAttempts`, and the longest sum of the pauses between these attempts (B6). */
export const ATTEMPTS = 3;
export const BACKOFF_MS = 2_000;
/** The first and the longest cool-down after a refusal (B7). */
export const REFUSAL = { firstMs: 5_000, longestMs: 60_000 } as const;
/** The pause after another failed renewal: a part of the duration of the outage so far, within limits (B18). */
export const OUTAGE = { part: 0.1, shortestMs: 250, longestMs: 5_000 } as const;
/** The jitter of both. */
export const JITTER = 0.2;
/** The first pause of renewals after a 401 (B3). */
export const PAUSE_MS = 30_000;
/** After so many renewals in a row that helped no call, the last token is kept as long as the first pause lasts (B3). */
export const MOST_USELESS = 3;
/** How often the module checks for a changed secret during a cool-down (B7). */
export const SECRET_LOOK_MS = 1_000;
/** `renewAheadMs` of the application that renews ahead. */
export const AHEAD_MS = 500;

/** A call that is still open so long after its timeout hangs. */
export const HANGS_AFTER_MS = 2_000;
/** How much the clocks of two processes may differ. They count whole milliseconds. */
export const ROUNDING_MS = 25;
