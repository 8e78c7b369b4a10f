import { LEASE_MS } from '../../../lib/token/pauses.js';

/**
 * How many leases can have followed each other since this moment of `performance.now()`: as many token requests may a fleet
 * make for one renewal. A renewal on an idle machine ends in the first lease. On a busy machine it may take longer than a
 * lease, and then one more process asks.
 */
export function leasesSince(started: number): number {
  return 1 + Math.floor((performance.now() - started) / LEASE_MS);
}
