import type { FleetFacts } from './fleet-facts.js';

interface Invariant {
  readonly sentence: string;
  /** What breaks the sentence, or undefined. */
  readonly brokenBy: (facts: FleetFacts) => string | undefined;
}

/** A process accepts 1 s (F18), and knows the clock of the store only to the length of a slow trip. */
const MOST_BEHIND_MS = 2_000;

/** One lease of 2 s, half a second for one more process, and the pauses between the looks. */
const LONGEST_WAIT_MS = 2_900;

/**
 * What must hold after each step of each history (B23). A lease is live for 2 s, until its owner publishes or releases it, or until
 * the store loses it, a writer replaces it, or the store's clock is set. A lease of a process that does not know the new clock yet is not live.
 * If the request of its owner has not reached the token endpoint, a lease ends when a process takes over that has waited for 2 s.
 */
export const INVARIANTS: readonly Invariant[] = [
  {
    sentence: 'At most one token request with a live lease is under way for each entry.',
    brokenBy: ({ requests, leases, now }) => {
      const asking = leases
        .filter(({ liveUntil }) => liveUntil > now)
        .flatMap(({ name, entry }) =>
          requests.filter(({ lease }) => lease === name).map(({ process }) => ({ process, name, entry })),
        );
      const pair = asking.find((one) => asking.some((other) => other !== one && other.entry === one.entry));
      const both = asking.filter(({ entry }) => entry === pair?.entry);
      return pair && both.map(({ process, name }) => `${process} asks with ${name}`).join(', ');
    },
  },
  {
    sentence:
      'A process asks alone only after the store has failed or returned unusable records, or after the process has waited as long as it may.',
    brokenBy: ({ requests }) => {
      const alone = requests.find(({ lease, mayAskAlone }) => lease === undefined && !mayAskAlone);
      return alone && `${alone.process} asks alone`;
    },
  },
  {
    sentence: 'Processes that cannot reach the token endpoint delay another process by one lease in all.',
    brokenBy: ({ waitsForOthers }) => {
      const long = waitsForOthers.find(({ ms }) => ms > LONGEST_WAIT_MS);
      return long && `${long.process} has waited for ${Math.round(long.ms)} ms`;
    },
  },
  {
    sentence: 'No caller gets a token of another entry.',
    brokenBy: ({ handedOut }) => {
      const wrong = handedOut.find(({ entries, entryOfToken }) => !entries.includes(entryOfToken));
      return (
        wrong &&
        `${wrong.process} of the entry ${wrong.entries.join(', ')} got ${wrong.token} of the entry ${wrong.entryOfToken}`
      );
    },
  },
  {
    sentence: 'No process hands out a token again after the API has refused this token there.',
    brokenBy: ({ handedOut }) => {
      const again = handedOut.find(({ wasRefusedHere }) => wasRefusedHere);
      return again && `${again.process} got the refused ${again.token}`;
    },
  },
  {
    sentence: 'No caller gets a token that has expired.',
    brokenBy: ({ handedOut }) => {
      const expired = handedOut.find(({ hasExpired }) => hasExpired);
      return expired && `${expired.process} got the expired ${expired.token}`;
    },
  },
  {
    sentence: 'A publication of a process that has lost its lease replaces no entry.',
    brokenBy: ({ publications }) => {
      const accepted = publications.find(
        ({ hadLease, entryBefore, entryAfter }) =>
          !hadLease && entryBefore !== undefined && entryAfter !== entryBefore,
      );
      return (
        accepted &&
        `${accepted.process} has replaced ${accepted.entryBefore} by ${accepted.entryAfter} without the lease`
      );
    },
  },
  {
    sentence: 'A token is published only for the client secret that it was obtained with.',
    brokenBy: ({ publications }) => {
      const wrong = publications.find(({ entry, entryOfToken }) => entry !== entryOfToken);
      return (
        wrong &&
        `${wrong.process} has published a token of the entry ${wrong.entryOfToken} for the entry ${wrong.entry}`
      );
    },
  },
  {
    sentence:
      'No process takes an entry whose token was obtained more than 2 s in the future, by the clock of the store.',
    brokenBy: ({ handedOut }) => {
      const wrong = handedOut.find(({ clockBehindMs = 0 }) => clockBehindMs > MOST_BEHIND_MS);
      return (
        wrong && `${wrong.process} got ${wrong.token} when the clock was ${wrong.clockBehindMs} ms behind`
      );
    },
  },
  {
    sentence:
      'Each process that lives and reaches the token endpoint gets a token that the API accepts, and no caller waits for ever.',
    brokenBy: ({ unfinished }) =>
      unfinished.length === 0 ? undefined : `without a token at the end: ${unfinished.join(', ')}`,
  },
];

/** The first broken sentence, and what breaks this sentence. */
export function brokenInvariant(facts: FleetFacts): string | undefined {
  for (const { sentence, brokenBy } of INVARIANTS) {
    const cause = brokenBy(facts);
    if (cause !== undefined) return `${sentence} Broken: ${cause}.`;
  }
  return undefined;
}
