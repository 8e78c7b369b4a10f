import { counted, grouped } from '../number-of.js';
import type { Seen } from './tally.js';
import type { Chain, Target } from './verbs.js';

/** More callers would only measure this machine. */
export const MOST_CALLERS = 10_000;

/** What a scenario can do to the pair that its callers use. */
export interface Stage {
  /** Runs a chain for this pair only. */
  readonly run: (on: Exclude<Target, 'simulator'>, chain: Chain) => void;
  /** Takes back all faults of the scenario. */
  readonly takeBack: () => void;
  /** Gives the client another secret. The callers' source of secrets still has the old one when it is read next. */
  readonly rotateSecret: () => void;
}

/** A row of the table below: what happens, and what the page says about it. */
export interface Scenario {
  readonly name: string;
  /** The text of its button. */
  readonly label: string;
  readonly does: string;
  readonly callers: number;
  /** How long it lasts. Undefined: until each caller has made one call. */
  readonly seconds?: number;
  /** What holds from the first call. */
  readonly first?: (stage: Stage) => void;
  /** What happens, so many seconds after each caller had an answer. The first step is the fault. */
  readonly steps: readonly (readonly [seconds: number, act: (stage: Stage) => void])[];
  /** The headline until the fault, or until the first call. */
  readonly before: string;
  readonly during: (seen: Seen) => string;
  readonly after: (seen: Seen) => string;
  /** Whether the callers got what this package promises. */
  readonly held: (seen: Seen) => boolean;
}

const revoke = ({ run }: Stage): void => run('token', { revokeAll: true });
const takeBack = (stage: Stage): void => stage.takeBack();

const OUTAGE_SECONDS = 30;

export const callsFailed = ({ failed, unsent }: Seen): string =>
  failed === 0
    ? 'no call failed'
    : `${counted(failed, 'call')} failed${unsent === 0 ? '' : ` (${grouped(unsent)} before they were sent: no token)`}`;

const sentAgain = ({ recovered }: Seen): string => `${counted(recovered, 'refused call')} sent again`;

const accepted = ({ tokenRequests, failedTokenRequests }: Seen): number =>
  tokenRequests - failedTokenRequests;

/** Between two attempts, a client waits for a tenth of the outage so far, and at least 250 ms: this makes about 40 (B18). */
const MOST_ATTEMPTS = 50;

/** The last pause is at most 3.6 s long (B18). The rest is for a busy machine. */
const RECOVERY_SECONDS = 6;

/** What the client did that it should not. */
const outageTrouble = ({ failedTokenRequests, recoveredAfter = 0, failedLater }: Seen): string =>
  [
    failedTokenRequests > MOST_ATTEMPTS ? `more than ${MOST_ATTEMPTS} failed token requests` : '',
    recoveredAfter > OUTAGE_SECONDS + RECOVERY_SECONDS
      ? `recovered more than ${RECOVERY_SECONDS} s after the end`
      : '',
    failedLater > 0 ? `${counted(failedLater, 'call')} failed after the recovery` : '',
  ]
    .filter((trouble) => trouble !== '')
    .join(', ');

const outage = (seen: Seen, trouble = outageTrouble(seen)): string => {
  // So it begins: the calls still wait for the first attempt.
  if (seen.failed === 0) return `${callsFailed(seen)}.`;
  const attempts = counted(seen.failedTokenRequests, 'failed token request');
  return trouble === ''
    ? `${callsFailed(seen)}, as expected. The client ${seen.recoveredAfter === undefined ? 'backs' : 'backed'} off: ${attempts} instead of ${grouped(seen.failed)}.`
    : `${callsFailed(seen)}, with ${attempts}. Not as expected: ${trouble}.`;
};

const outageOver = (seen: Seen): string =>
  seen.recoveredAfter === undefined
    ? `Outage over: ${outage(seen, ['no new token', outageTrouble(seen)].filter(Boolean).join(', '))}`
    : `Outage over: recovered after ${Math.round(seen.recoveredAfter)} s with ${counted(accepted(seen), 'token request')}. ${outage(seen)}`;

/** What callers of this package can go through, on the page and by the control address. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'revoke',
    label: 'revoke under load',
    does: '1,000 callers, and all tokens are revoked after 4 s',
    callers: 1000,
    seconds: 10,
    steps: [[4, revoke]],
    before: 'Revoke under load: 1,000 callers share one token. Soon, all tokens are revoked.',
    during: (seen) =>
      `All tokens revoked: ${sentAgain(seen)}, ${counted(seen.tokenRequests, 'more token request')}, ${callsFailed(seen)}.`,
    after: (seen) =>
      `Revoke over: ${counted(seen.tokenRequests, 'more token request')} for 1,000 callers, ${counted(seen.recovered, 'call')} sent again, ${callsFailed(seen)}.`,
    held: ({ failed, tokenRequests }) => failed === 0 && tokenRequests === 1,
  },
  {
    name: 'cold',
    label: '1,000 cold callers',
    does: '1,000 callers at once, and no token',
    callers: 1000,
    steps: [],
    before: '1,000 cold callers: they all call at once, and there is no token.',
    during: (seen) =>
      `1,000 cold callers: ${grouped(seen.calls)} answered so far, ${counted(seen.tokenRequests, 'token request')}, ${callsFailed(seen)}.`,
    after: (seen) =>
      `1,000 cold callers: ${counted(seen.tokenRequests, 'token request')} instead of ${grouped(seen.calls)}, ${callsFailed(seen)}.`,
    held: ({ failed, tokenRequests }) => failed === 0 && tokenRequests === 1,
  },
  {
    name: 'outage',
    label: 'outage of 30 s',
    does: '50 callers, and a token endpoint that answers 503 for 30 s after all tokens were revoked',
    callers: 50,
    seconds: 40,
    steps: [
      [3, ({ run }) => run('token', { status: 503 })],
      [3, revoke],
      [3 + OUTAGE_SECONDS, takeBack],
    ],
    before:
      'Outage of 30 s: 50 callers share one token. Soon, all tokens are revoked, and the token endpoint fails.',
    during: (seen) =>
      seen.recoveredAfter === undefined
        ? `Outage, ${Math.min(OUTAGE_SECONDS, Math.floor(seen.seconds))} s of ${OUTAGE_SECONDS} s: ${outage(seen)}`
        : outageOver(seen),
    after: outageOver,
    held: (seen) => seen.recoveredAfter !== undefined && outageTrouble(seen) === '',
  },
  {
    name: 'rotated',
    label: 'rotated secret',
    does: '50 callers, and a new secret that their source of secrets learns a little late',
    callers: 50,
    seconds: 8,
    steps: [
      [3, ({ rotateSecret }) => rotateSecret()],
      [3, revoke],
    ],
    before:
      'Rotated secret: 50 callers share one token. Soon, the secret changes, and all tokens are revoked.',
    during: (seen) => `Secret rotated: ${rotation(seen)}`,
    after: (seen) => `Rotated secret over: ${rotation(seen)}`,
    // A client without a secret has nothing to rotate.
    held: (seen) => seen.failed === 0 && seen.failedTokenRequests <= 1 && accepted(seen) === 1,
  },
  {
    name: 'expiring',
    label: 'expiring token',
    does: '50 callers, and tokens that live for 3 s',
    callers: 50,
    seconds: 15,
    first: ({ run }) => run('token', { lifetime: 3 }),
    steps: [],
    before: 'Expiring token: 50 callers share tokens that live for 3 s.',
    during: (seen) => `Tokens live for 3 s: ${expiry(seen, sentAgain(seen))}`,
    after: (seen) =>
      `Expiring token over: ${expiry(seen, seen.recovered === 0 ? 'no call met an expired token' : sentAgain(seen))}`,
    // A token is renewed in the second half of its life.
    held: ({ failed, tokenRequests, seconds }) => failed === 0 && tokenRequests <= 1 + seconds / 1.5,
  },
];

function rotation(seen: Seen): string {
  return (
    `the old secret was refused in ${counted(seen.failedTokenRequests, 'token request')}, ` +
    `the new one accepted in ${grouped(accepted(seen))}. ${sentAgain(seen)}, ${callsFailed(seen)}.`
  );
}

function expiry(seen: Seen, refused: string): string {
  return `${counted(seen.tokenRequests, 'token request')} in ${Math.round(seen.seconds)} s, ${refused}, ${callsFailed(seen)}.`;
}
