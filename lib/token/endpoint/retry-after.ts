/** A server that asks for more than this is asked again after it: a slip of a digit must not silence a backend for days. */
const LONGEST_MS = 60 * 60 * 1000;

/** `Date.parse` alone would make a date of almost anything. */
const HTTP_DATE = /^[A-Z][a-z]+,? .* GMT$/;

/**
 * Reads a `Retry-After` header, seconds or a date (RFC 9110 section 10.2.3). One that is 0, past or unreadable is
 * ignored (B6).
 */
export function readRetryAfter(header: unknown, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text)
    ? Number(text) * 1000
    : HTTP_DATE.test(text)
      ? Date.parse(text) - now
      : Number.NaN;
  return ms > 0 ? Math.min(ms, LONGEST_MS) : undefined;
}
