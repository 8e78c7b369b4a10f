import { B64TOKEN } from '../catalogue/wire.js';
import { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';
import type { Deadline } from '../time/deadline.js';
import type { FleetEntry } from './fleet-entry.js';
import { LONGEST_LIFETIME_MS, LONGEST_TOKEN } from './token-response.js';

/** The life that a store tells: counted from before it was asked, and for so long. */
interface StoredLife {
  readonly asked: Deadline;
  readonly remainingMs: number;
}

export function sealToken(entry: FleetEntry, token: AccessToken, clock: Clock): string {
  const { lifetimeMs } = token;
  return entry.seal('token', { token: token.reveal(), lifetimeMs, obtainedAt: clock.wall() });
}

/**
 * The token of an entry, or undefined where the entry is not one of ours. `obtainedAt` is for people who look into it: the
 * clock that wrote it may be another process's, so nothing is decided by it (B10).
 */
export function openToken(entry: FleetEntry, value: string, life: StoredLife): AccessToken | undefined {
  const content = entry.open('token', value);
  if (typeof content !== 'object' || content === null) return undefined;
  if (!('token' in content) || !('lifetimeMs' in content)) return undefined;
  const { token, lifetimeMs } = content;
  if (typeof token !== 'string' || token.length > LONGEST_TOKEN || !B64TOKEN.test(token)) return undefined;
  if (typeof lifetimeMs !== 'number' || !(lifetimeMs > 0 && lifetimeMs <= LONGEST_LIFETIME_MS))
    return undefined;
  // A store may be wrong about time, or be made to be: no token lives longer than the token endpoint said.
  const deadline = life.asked.plus(Math.min(life.remainingMs, lifetimeMs));
  return new AccessToken(token, { deadline, lifetimeMs, origin: 'store' });
}
