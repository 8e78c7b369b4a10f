import { LONGEST_LIFETIME_MS, VISIBLE } from '../../catalogue/wire.js';
import { AccessToken } from '../../secrets/access-token.js';
import type { Deadline } from '../../time/deadline.js';
import { LONGEST_TOKEN } from '../endpoint/token-response.js';
import type { FleetEntry } from './fleet-entry.js';

/**
 * The three records that processes exchange. All moments are by the store's clock. The seal proves that the writer knows the
 * client secret. The content is checked too, because another version of this library may have written it.
 */

/** How long a process that has not failed may keep the others from asking. */
export const LEASE_MS = 2_000;
/** The same after the others have waited for `LEASE_MS`, as long as the request of this process has not reached the endpoint. */
export const UNSENT_LEASE_MS = { shortest: 100, longest: 1_000 } as const;
/** The longest lease. Only a process that asks again in an outage has such a lease. */
export const LONGEST_LEASE_MS = 5_000;

/** A process counts on from the store's clock for hours, and two clocks never agree exactly. */
const LARGEST_DRIFT_MS = 1_000;

/** An entry that a store returned, with its end and the store's clock. */
interface FoundEntry {
  readonly value: string;
  readonly now: number;
  readonly expiresAt: number;
}

/** A token as it was read from the store. */
export interface StoredToken {
  readonly token: AccessToken;
  /** The sealed text. */
  readonly value: string;
  /** When the token was obtained; undefined in an entry of an older version. */
  readonly obtainedAt: number | undefined;
  /** When this process read it. */
  readonly readAt: number;
}

export interface Lease {
  readonly takenAt: number;
  readonly ms: number;
  /** Whether the request of its owner has reached the token endpoint. */
  readonly isSent?: true | undefined;
}

/** A failed renewal: since when the token endpoint has failed, and until when no process should ask it. */
export interface FailureNote {
  readonly since: number;
  readonly endsAt: number;
}

export function sealToken(
  entry: FleetEntry,
  token: AccessToken,
  { obtainedAt, endsAt }: { readonly obtainedAt: number; readonly endsAt: number },
): string {
  return entry.seal('token', {
    token: token.reveal(),
    lifetimeMs: token.lifetimeMs,
    endsAt,
    storeObtainedAt: obtainedAt,
  });
}

/**
 * Undefined if this entry does not hold a token that this library sealed.
 *
 * @param askedAt the moment before the claim was sent. The lifetime counts from this moment (S11).
 */
export function openToken(
  entry: FleetEntry,
  { value, now, expiresAt }: FoundEntry,
  askedAt: Deadline,
): StoredToken | undefined {
  const content = entry.open('token', value);
  const [token, lifetimeMs, endsAt, obtainedAt] = ['token', 'lifetimeMs', 'endsAt', 'storeObtainedAt'].map(
    (name) => content?.get(name),
  );
  if (typeof token !== 'string' || token.length > LONGEST_TOKEN || !VISIBLE.test(token)) return undefined;
  if (!isTime(lifetimeMs) || lifetimeMs <= 0 || lifetimeMs > LONGEST_LIFETIME_MS || !isTime(endsAt))
    return undefined;
  // A writer of the store can change the end that the store returns, but not the sealed end (B11). Even if the store's clock
  // is wrong, no token lives longer than the token endpoint said.
  const remainingMs = Math.min(expiresAt, endsAt) - now;
  const deadline = askedAt.plus(Math.min(remainingMs, lifetimeMs));
  // The store's clock was set back, or another server with a slower clock took over: the age of the token is unknown.
  if (isTime(obtainedAt) && obtainedAt > now + LARGEST_DRIFT_MS) return undefined;
  return {
    token: new AccessToken(token, { deadline, lifetimeMs, origin: 'store' }),
    value,
    obtainedAt: isTime(obtainedAt) ? obtainedAt : undefined,
    readAt: now,
  };
}

/** The sealed text is also the name of the owner: each text has its own nonce, so no two texts are equal. */
export function sealLease(entry: FleetEntry, lease: Lease): string {
  return entry.seal('lease', lease);
}

/** Undefined if this library did not seal this lease. */
export function openLease(entry: FleetEntry, holder: string): Lease | undefined {
  const content = entry.open('lease', holder);
  const [takenAt, ms] = [content?.get('takenAt'), content?.get('ms')];
  const isSent = content?.get('isSent') === true || undefined;
  return isTime(takenAt) && isTime(ms) ? { takenAt, ms: Math.min(ms, LONGEST_LEASE_MS), isSent } : undefined;
}

export function sealNote(entry: FleetEntry, { since, endsAt }: FailureNote): string {
  return entry.seal('failure', { since, endsAt });
}

/** Undefined if this library did not seal this note. */
export function openNote(entry: FleetEntry, value: string): FailureNote | undefined {
  const content = entry.open('failure', value);
  const [since, endsAt] = [content?.get('since'), content?.get('endsAt')];
  return isTime(since) && isTime(endsAt) ? { since, endsAt } : undefined;
}

function isTime(value: unknown): value is number {
  return Number.isFinite(value);
}
