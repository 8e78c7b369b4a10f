import type { AnyPair } from '../catalogue/catalogue.js';
import type { ConfigProblem } from '../errors/provider-auth-config.error.js';
import type { StepName, StepResult } from './step.js';

/** A pair, when its check begins. */
export interface PairHead extends AnyPair {
  readonly active: boolean;
  /** The host of the token URL. */
  readonly host?: string;
}

export interface PairResult extends PairHead {
  readonly ok: boolean;
  readonly steps: readonly StepResult[];
}

/** The output of `--json`. Later versions may add members, but do not change the meaning of a member. */
export interface Report {
  readonly ok: boolean;
  /** Whether each API got a request. If not, `ok` only means that the endpoints give tokens and that the APIs can be reached. */
  readonly probed: boolean;
  readonly results: readonly PairResult[];
  /** Advice that follows from several results together, or that is for all pairs. */
  readonly advice?: readonly string[];
  /** Present if the configuration is wrong. */
  readonly problems?: readonly ConfigProblem[];
}

/** The report as one JSON object, without what only the lines for people need. */
export function jsonOf(report: Report): string {
  return JSON.stringify(report, (name, value: unknown) => (name === 'isBehindProxy' ? undefined : value), 2);
}

/** Gets each event of the run at the moment when it happens. */
export interface Reporter {
  problems(problems: readonly ConfigProblem[]): void;
  pair(head: PairHead): void;
  begins(step: StepName): void;
  ended(step: StepResult): void;
  pairEnded(): void;
  end(report: Report): void;
}
