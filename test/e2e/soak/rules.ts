/** The numbers of the rules that the judge goes by. */

/** One attempt at a token endpoint, as the applications of the soak are told. */
export const TOKEN_TIMEOUT_MS = 5_000;
/** `maxAttempts` as it comes, and all pauses between them together (B6). */
export const ATTEMPTS = 3;
export const BACKOFF_MS = 2_000;
/** The cool-down after a refusal: the first, and the longest (B7). */
export const REFUSAL = { firstMs: 5_000, longestMs: 60_000 } as const;
/** The pause after another failed renewal: a part of the outage so far, within limits (B18). */
export const OUTAGE = { part: 0.1, shortestMs: 250, longestMs: 5_000 } as const;
/** How far both are jittered. */
export const JITTER = 0.2;
/** The first pause of renewals because of 401 (B3). */
export const PAUSE_MS = 30_000;
/** Looking for a changed secret while cooling down (B7). */
export const SECRET_LOOK_MS = 1_000;
/** Renewing ahead, in the application that does. */
export const AHEAD_MS = 500;

/** A call that is still not over so long after its time has not been ended by its time. */
export const HANGS_AFTER_MS = 2_000;
/** Clocks of two processes, in whole milliseconds. */
export const ROUNDING_MS = 25;
