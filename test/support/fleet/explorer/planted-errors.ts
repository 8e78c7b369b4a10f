import type { TokenStore } from '../../../../lib/config/options/token-store.js';
import { type Bound, type Exploration, explore } from './explore.js';
import type { Scenario } from './fleet-run.js';
import { reportOf } from './scenarios.js';

/** The shortest history that shows the planted error of this scenario. */
export async function shortestBroken(
  scenario: Scenario,
  bound: Bound,
): Promise<NonNullable<Exploration['broken']>> {
  const exploration = await explore(scenario, bound);
  console.info(reportOf(scenario, bound, exploration));
  if (exploration.broken) return exploration.broken;
  throw new Error('The explorer has not found the planted error.');
}

/** A store with these messages changed. */
export function changed(store: TokenStore, changes: Partial<TokenStore>): TokenStore {
  return {
    claim: (claim) => store.claim(claim),
    publish: (publication) => store.publish(publication),
    release: (release) => store.release(release),
    ...changes,
  };
}

/** The entry that a store holds now. */
export async function presentEntry(store: TokenStore, name: string) {
  const found = await store.claim({ name });
  return found.state === 'found' ? { value: found.value, remove: false } : undefined;
}
