import { vi } from 'vitest';
import type { StoreRelease } from '../../../lib/config/options/token-store.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { MemoryTokenStore } from '../../../lib/testing/index.js';
import { FleetPlace } from '../../../lib/token/fleet/place.js';
import { CANARY, profileOf } from '../token/token-fixtures.js';

/** The place of the fixtures' profile in every store. */
export const ENTRY = new FleetPlace(profileOf(), new Secret(CANARY.secret));

/** Longer than the longest pause between two looks at the store, and shorter than all other times. */
export const POLL_MS = 250;

/** Records the notes that a store gets. */
export function recordedNotes(store: MemoryTokenStore) {
  const notes: NonNullable<StoreRelease['note']>[] = [];
  const release = MemoryTokenStore.prototype.release.bind(store);
  vi.spyOn(store, 'release').mockImplementation(async (given) => {
    if (given.note) notes.push(given.note);
    return release(given);
  });
  return notes;
}

/** A writer of the store puts this entry in place of the one that is there. */
export async function putEntry(store: MemoryTokenStore, value: string, expiresAt: number): Promise<void> {
  const { name } = ENTRY;
  await store.claim({ name, unwanted: { value: await entryIn(store) }, lease: { owner: 'x', ms: 1 } });
  await store.publish({ name, owner: 'x', value, expiresAt });
}

/** A writer of the store puts this note back, whatever is there. */
export async function putNote(store: MemoryTokenStore, value: string, ms = 60_000): Promise<void> {
  const { name } = ENTRY;
  const { now } = await store.claim({ name });
  // Any publication removes a note. This one has already ended, so it writes nothing.
  await store.publish({ name, owner: 'x', value: 'x', expiresAt: now - 1 });
  await store.claim({ name, unwanted: { value: await entryIn(store) }, lease: { owner: 'x', ms: 1 } });
  await store.release({ name, owner: 'x', note: { value, ms } });
}

/** The sealed text of the entry in a store. */
export async function entryIn(store: MemoryTokenStore): Promise<string> {
  const answer = await store.claim({ name: ENTRY.name });
  return answer.state === 'found' ? answer.value : '';
}
