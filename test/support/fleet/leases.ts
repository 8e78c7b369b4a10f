import { LEASE_MS, UNSENT_LEASE_MS } from '../../../lib/token/fleet/fleet-entry.js';

/**
 * How many leases can have followed each other since this moment of `performance.now()`: as many token requests may a fleet
 * make for one renewal. A renewal on an idle machine ends in the first lease. On a busy machine it may take longer than a
 * lease, and then one more process asks (F5).
 */
export function leasesSince(started: number): number {
  return 1 + Math.floor((performance.now() - started) / LEASE_MS);
}

/**
 * As many, if the first owner was killed and may not have said that its request was sent. Then each next owner has only the time
 * to connect, less and less of it (B10). An idle machine needs the second lease only.
 */
export function leasesSinceKill(started: number): number {
  const overdueMs = performance.now() - started - LEASE_MS;
  if (overdueMs < 0) return 1;
  const { longest, shortest } = UNSENT_LEASE_MS;
  return overdueMs < longest ? 2 : 3 + Math.floor((overdueMs - longest) / shortest);
}
