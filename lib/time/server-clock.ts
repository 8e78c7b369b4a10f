/** Checked first, because `Date.parse` accepts almost any text. */
const HTTP_DATE = /^[A-Z][a-z]+,? .* GMT$/;

/** A Date header gives the current second. On average half of this second has passed. */
const HALF_A_SECOND_MS = 500;

/** A Date header gives whole seconds, and the answer has been under way. So a smaller difference proves no difference. */
const UNCERTAIN_MS = 2_000;

/** The clock difference that servers commonly accept when they check a token or a client assertion. */
export const TOLERABLE_CLOCK_MS = 60_000;

/** The moment in a header, in milliseconds since 1970. Undefined if the header has no date (RFC 9110 section 5.6.7). */
export function readHttpDate(header: unknown): number | undefined {
  const moment = typeof header === 'string' && HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
}

/**
 * By how much the clock of this machine is ahead of a server's. Undefined if the answer has no `Date`.
 *
 * @param date the header `Date` of the answer.
 * @param asked when the request was sent, in milliseconds since 1970 by the clock of this machine.
 * @param answered when the answer came.
 */
export function clockAheadMs(date: unknown, asked: number, answered: number): number | undefined {
  const moment = readHttpDate(date);
  // The server read its clock at some moment between the request and the response.
  return moment === undefined ? undefined : (asked + answered) / 2 - (moment + HALF_A_SECOND_MS);
}

/**
 * The time of a server that has just answered. Compare a date from the server with it: the clock of this machine may be wrong.
 *
 * @param date the header `Date` of the answer.
 * @param now by the clock of this machine.
 */
export function serverTime(date: unknown, now: number): number {
  const moment = readHttpDate(date);
  return moment === undefined || Math.abs(now - moment) < UNCERTAIN_MS ? now : moment;
}
