/**
 * Every pause in the life of a token, in milliseconds. A length that depends on another is computed from it. Pages of `docs` name these
 * lengths, and `test/unit/token/pauses.spec.ts` compares them.
 */

/** Processes that failed at the same moment do not ask again at the same moment: each pause is up to 20 % shorter or longer. */
export const JITTER = 0.2;

/** Between two attempts of one renewal. All pauses of one renewal together are at most `longestSumMs`: callers wait for them. */
export const BACK_OFF = { firstMs: 100, longestSumMs: 2_000 } as const;

/** After a failed renewal: this part of the outage so far. So callers wait at most about a tenth longer than the outage lasted. */
export const OUTAGE = { part: 0.1, shortestMs: 250, longestMs: 5_000 } as const;
const LONGEST_OUTAGE_PAUSE_MS = OUTAGE.longestMs * (1 + JITTER);

/** After refused credentials. Only a person or a changed secret can fix them. */
export const REFUSAL = { firstMs: 5_000, longestMs: 60_000 } as const;

/** After an unknown account. The application may add an account at any time. */
export const UNKNOWN_ACCOUNT_MS = 1_000;

/**
 * During these pauses a caller may look whether the secret has changed or the fleet has a token. If each look finds another secret,
 * the next look comes later. A slow source delays the caller no longer than `patienceMs`.
 */
export const LOOK = { firstMs: 1_000, longestMs: 60_000, patienceMs: 250 } as const;

/** No renewal after a 401, because the API refuses renewed tokens too. */
export const USELESS_RENEWAL = { firstMs: 30_000, longestMs: 5 * 60_000 } as const;

/** How long a pair that is not active counts as used after its last call. */
export const IN_USE_MS = 10 * 60_000;

/** For one process of a fleet, the others wait so long before one more process asks. A lease is never extended. */
export const LEASE_MS = 2_000;

/** Between two looks at the lease of another process. */
export const POLL = { firstMs: 20, longestMs: 150, factor: 1.5, jitter: 0.5 } as const;

/** From the end of another process's renewal to the moment when this process has read the result. */
export const READING_MS = 1_000;

/**
 * The note of another process delays a process that has failed itself at most so long: the longest pause after such a failure. A process
 * that has failed itself waits for a lease no longer than for a note, and failures closer together are of the same outage.
 */
export const LONGEST_NOTE_MS = { outage: LONGEST_OUTAGE_PAUSE_MS, refusal: REFUSAL.longestMs } as const;

/**
 * A process that has failed itself waits so long for a lease. If the endpoint hangs, each of 60 processes has had a turn by then. Without
 * an end, one who can write to the store could keep this process from the endpoint by holding a lease.
 */
export const LONGEST_TURN_MS = 60 * LEASE_MS;

/** A store that has failed gets no message for so long. */
export const STORE_PAUSE = { firstMs: 1_000, longestMs: 30_000 } as const;

/** How long an operation of a store may take, unless the store says otherwise. */
export const STORE_TIMEOUT_MS = 250;
