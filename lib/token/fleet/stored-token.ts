import { B64TOKEN } from '../../catalogue/wire.js';
import { AccessToken } from '../../secrets/access-token.js';
import type { Clock } from '../../time/clock.js';
import type { Deadline } from '../../time/deadline.js';
import type { FleetEntry } from './fleet-entry.js';
import { LONGEST_LIFETIME_MS, LONGEST_TOKEN } from '../token-response.js';

/** The life that a store tells, by its own clock, and the moment before it was asked, from which that counts. */
interface StoredLife {
  readonly asked: Deadline;
  readonly now: number;
  readonly expiresAt: number;
}

/** @param endsAt when the token ends by the store's clock. */
export function sealToken(entry: FleetEntry, token: AccessToken, endsAt: number, clock: Clock): string {
  const { lifetimeMs } = token;
  return entry.seal('token', { token: token.reveal(), lifetimeMs, endsAt, obtainedAt: clock.wall() });
}

/**
 * The token of an entry, or undefined where the entry is not one of ours. `obtainedAt` is for people who look into it: the
 * clock that wrote it may be another process's, so nothing is decided by it (B10).
 */
export function openToken(entry: FleetEntry, value: string, life: StoredLife): AccessToken | undefined {
  const told = entry.open('token', value);
  if (told === undefined) return undefined;
  const [token, lifetimeMs, endsAt] = [told.get('token'), told.get('lifetimeMs'), told.get('endsAt')];
  if (typeof token !== 'string' || token.length > LONGEST_TOKEN || !B64TOKEN.test(token)) return undefined;
  if (typeof lifetimeMs !== 'number' || !(lifetimeMs > 0 && lifetimeMs <= LONGEST_LIFETIME_MS))
    return undefined;
  if (typeof endsAt !== 'number') return undefined;
  // The end that a store tells can be moved, or an old entry be put back (B11); the sealed one cannot. And should the
  // store's clock be wrong: no token lives longer than the token endpoint said.
  const remainingMs = Math.min(life.expiresAt, endsAt) - life.now;
  const deadline = life.asked.plus(Math.min(remainingMs, lifetimeMs));
  return new AccessToken(token, { deadline, lifetimeMs, origin: 'store' });
}
