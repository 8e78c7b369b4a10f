import { counted, grouped } from '../number-of.js';
import { callsFailed, type Scenario } from './scenarios.js';
import type { Counts } from './shown.js';
import type { Tally } from './tally.js';

/** What a verdict is made from: one pair, or all of them. */
export interface Facts extends Counts {
  readonly token: { readonly state: 'none' | 'valid' | 'expired' | 'revoked' };
  /** Token requests that failed since the last one that worked. */
  readonly tokenFailures: number;
  /** What the last of them got: a status, or no answer. */
  readonly tokenFailure?: string;
  /** Calls that failed since the last one that worked. */
  readonly callFailures: number;
  /** What the last of them got, and why. */
  readonly callFailure?: string;
}

/** One sentence for a person who looks for ten seconds. */
export interface Verdict {
  readonly level: 'idle' | 'good' | 'warn' | 'bad';
  readonly text: string;
}

interface State {
  readonly level: Verdict['level'];
  readonly applies: (facts: Facts) => boolean;
  readonly text: (facts: Facts) => string;
}

const isValid = ({ token }: Facts): boolean => token.state === 'valid';

/** A server that fails, or does not answer, has refused nothing. */
const refused = (count: number, what: string, why = ''): string =>
  `${counted(count, what)} ${why.startsWith('4') ? 'refused' : 'failed'} (${why})`;

const refusedTokens = ({ tokenFailures, tokenFailure }: Facts): string =>
  refused(tokenFailures, 'token request', tokenFailure);

const refusedCalls = ({ callFailures, callFailure }: Facts): string =>
  refused(callFailures, 'call', callFailure);

/** The first state that applies. A state without trouble comes after each state with trouble. */
const STATES: readonly State[] = [
  {
    level: 'idle',
    applies: ({ tokenRequests, apiRequests }) => tokenRequests + apiRequests === 0,
    text: () => 'No requests yet.',
  },
  {
    level: 'bad',
    applies: (facts) => facts.tokenFailure?.startsWith('401') === true && !isValid(facts),
    text: (facts) =>
      `Down: the client's id or secret is refused (${counted(facts.tokenFailures, 'token request')}, ${facts.tokenFailure}).`,
  },
  {
    level: 'bad',
    applies: (facts) => facts.tokenFailures > 0 && !isValid(facts),
    text: (facts) => `Down: ${refusedTokens(facts)}.`,
  },
  {
    level: 'warn',
    applies: ({ tokenFailures }) => tokenFailures > 0,
    text: (facts) => `${refusedTokens(facts)}. The last token is still valid.`,
  },
  {
    level: 'warn',
    applies: (facts) => isValid(facts) && /token (revoked|expired)$/.test(facts.callFailure ?? ''),
    text: (facts) => `${refusedCalls(facts)}. A new token was issued.`,
  },
  {
    level: 'bad',
    applies: (facts) => facts.callFailures > 0 && isValid(facts),
    text: ({ callFailures, callFailure }) =>
      `${counted(callFailures, 'call')} failed in a row (${callFailure}).`,
  },
  {
    level: 'warn',
    applies: ({ callFailures }) => callFailures > 0,
    text: (facts) => `${refusedCalls(facts)}. No new token yet.`,
  },
  {
    level: 'warn',
    applies: (facts) => !isValid(facts),
    text: ({ token }) => `The token is ${token.state}. The next call needs a new one.`,
  },
  {
    level: 'warn',
    applies: ({ early }) => early > 0,
    text: ({ early }) =>
      `${counted(early, 'token')} too early: the last token was valid for at least half of its life. Restarting the application causes this, too.`,
  },
  {
    level: 'good',
    applies: ({ apiRequests }) => apiRequests === 0,
    text: ({ tokenRequests }) => `${counted(tokenRequests, 'token request')}, no calls yet.`,
  },
  { level: 'good', applies: () => true, text: servedText },
];

function servedText({ tokenRequests, failedTokenRequests, apiRequests, failedCalls }: Facts): string {
  const failed = failedTokenRequests === 0 ? '' : `, ${grouped(failedTokenRequests)} of them failed,`;
  return `${counted(tokenRequests, 'token request')}${failed} served ${counted(apiRequests - failedCalls, 'call')}.`;
}

export function verdictOf(facts: Facts): Verdict {
  const state = STATES.find(({ applies }) => applies(facts));
  return { level: state?.level ?? 'idle', text: state?.text(facts) ?? '' };
}

/** Only callers in this process report what they could not send. */
function unsentText({ unsent }: Counts): string {
  return unsent === 0 ? '' : ` Failed before they were sent: ${counted(unsent, 'call')} (no token).`;
}

const LEVELS = ['idle', 'good', 'warn', 'bad'] as const;

/** The verdict on the pair that needs help first. If none does, the verdict on all of them together. */
export function headlineOf(
  pairs: readonly { readonly name: string; readonly verdict: Verdict }[],
  counts: Counts,
): Verdict {
  const urgency = ({ verdict }: { readonly verdict: Verdict }): number => LEVELS.indexOf(verdict.level);
  const [worst] = pairs.toSorted((one, other) => urgency(other) - urgency(one));
  if (worst?.verdict.level === 'warn' || worst?.verdict.level === 'bad')
    return { level: worst.verdict.level, text: `${worst.name}: ${worst.verdict.text}${unsentText(counts)}` };
  const { level, text } = verdictOf({
    ...counts,
    token: { state: 'valid' },
    tokenFailures: 0,
    callFailures: 0,
  });
  return { level: counts.unsent === 0 ? level : 'warn', text: text + unsentText(counts) };
}

/** The sentence of a scenario, from its own counts. Green: what this package promises held. */
export function verdictOfScenario(scenario: Scenario, tally: Tally, isStopped: boolean): Verdict {
  const { seen, endedAt } = tally;
  if (isStopped)
    return {
      level: 'idle',
      text: `Stopped early: ${seen === undefined ? 'nothing happened' : callsFailed(seen)}.`,
    };
  if (seen === undefined) return { level: 'idle', text: scenario.before };
  // Green only at the end: what is under way may still fail.
  if (endedAt === undefined)
    return { level: seen.failed === 0 || scenario.held(seen) ? 'idle' : 'warn', text: scenario.during(seen) };
  return { level: scenario.held(seen) ? 'good' : 'bad', text: scenario.after(seen) };
}
