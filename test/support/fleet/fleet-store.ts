import { vi } from 'vitest';
import type { StoreRelease } from '../../../lib/config/options/token-store.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { MemoryTokenStore } from '../../../lib/testing/index.js';
import { FleetEntry } from '../../../lib/token/fleet/fleet-entry.js';
import { CANARY, profileOf } from '../token/token-fixtures.js';
import { givenFleet } from './fleet-process.js';

/** The place of the fixtures' profile in every store. */
export const ENTRY = new FleetEntry(profileOf(), new Secret(CANARY.secret));

/** Longer than the longest pause between two looks at the store, and shorter than all other times. */
export const POLL_MS = 250;

/** Records the leases and notes that a store gets. `put` writes as a writer of the store without the secret can. */
export function recordedStore(store: MemoryTokenStore) {
  const notes: NonNullable<StoreRelease['note']>[] = [];
  const leases: string[] = [];
  const release = MemoryTokenStore.prototype.release.bind(store);
  const claim = MemoryTokenStore.prototype.claim.bind(store);
  vi.spyOn(store, 'release').mockImplementation(async (given) => {
    if (given.note) notes.push(given.note);
    return release(given);
  });
  vi.spyOn(store, 'claim').mockImplementation(async (given) => {
    if (given.lease) leases.push(given.lease.owner);
    return claim(given);
  });
  const put = async (what: { note?: string; lease?: string }, ms = 60_000): Promise<void> => {
    const { name } = ENTRY;
    const answer = await claim({ name });
    if (answer.state === 'held')
      await claim({ name, lease: { owner: 'x', ms, insteadOf: answer.note ?? answer.holder } });
    else await claim({ name, lease: { owner: what.lease ?? 'x', ms } });
    if (answer.state === 'held' && what.lease)
      await claim({ name, lease: { owner: what.lease, ms, insteadOf: 'x' } });
    if (what.note) await release({ name, owner: 'x', note: { value: what.note, ms } });
  };
  return { notes, leases, put };
}

/** The sealed text of the entry in a store. */
export async function entryIn(store: MemoryTokenStore): Promise<string> {
  const answer = await store.claim({ name: ENTRY.name });
  return answer.state === 'found' ? answer.value : '';
}

/** A fleet on a store of an older contract: claims name no lease and no note to replace, and answers name no holder. */
export function givenFleetOnOlderStore() {
  const fleet = givenFleet();
  const claim = MemoryTokenStore.prototype.claim.bind(fleet.store);
  fleet.claims.mockImplementation(async ({ name, unwanted, lease }) => {
    const answer = await claim({ name, unwanted, lease: lease && { owner: lease.owner, ms: lease.ms } });
    return answer.state === 'held' ? { ...answer, holder: undefined } : answer;
  });
  return fleet;
}
