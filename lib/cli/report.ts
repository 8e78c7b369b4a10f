import type { ProviderPair } from '../catalogue/provider-catalogue.js';
import type { ConfigProblem } from '../errors/provider-auth-config.error.js';
import type { StepName, StepResult } from './step.js';

/** What is known of a pair when its check begins. */
export interface PairHead extends ProviderPair {
  readonly active: boolean;
  /** Of the token URL. */
  readonly host?: string;
}

export interface PairResult extends PairHead {
  readonly ok: boolean;
  readonly steps: readonly StepResult[];
}

/** What `--json` prints. Members may be added, none changes its meaning. */
export interface Report {
  readonly ok: boolean;
  /** Whether the APIs were asked. Without that, `ok` says only that tokens are given and that the APIs can be reached. */
  readonly probed: boolean;
  readonly results: readonly PairResult[];
  /** What the results say together that none of them says alone. */
  readonly advice?: readonly string[];
  /** Present when the configuration is wrong. */
  readonly problems?: readonly ConfigProblem[];
}

/** Is told what happens while it happens. */
export interface Reporter {
  problems(problems: readonly ConfigProblem[]): void;
  pair(head: PairHead): void;
  begins(step: StepName): void;
  ended(step: StepResult): void;
  pairEnded(): void;
  end(report: Report): void;
}
