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

export interface Scenario {
  readonly name: string;
  /** The text of its button. */
  readonly label: string;
  readonly does: string;
  readonly callers: number;
  /** How long it lasts. Undefined: until each caller has made one call. */
  readonly seconds?: number;
  /** What happens, so many seconds after each caller had an answer. */
  readonly steps: readonly (readonly [seconds: number, act: (stage: Stage) => void])[];
}

const revoke = ({ run }: Stage): void => run('token', { revokeAll: true });
const takeBack = (stage: Stage): void => stage.takeBack();

/** What callers of this package can go through, on the page and by the control address. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'revoke',
    label: 'revoke under load',
    does: '1,000 callers, and all tokens are revoked after 4 s',
    callers: 1000,
    seconds: 10,
    steps: [[4, revoke]],
  },
  {
    name: 'cold',
    label: '1,000 cold callers',
    does: '1,000 callers at once, and no token',
    callers: 1000,
    steps: [],
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
      [33, takeBack],
    ],
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
  },
  {
    name: 'expiring',
    label: 'expiring token',
    does: '50 callers, and tokens that live for 3 s',
    callers: 50,
    seconds: 15,
    steps: [
      [0, ({ run }) => run('token', { lifetime: 3 })],
      [0, revoke],
    ],
  },
];
