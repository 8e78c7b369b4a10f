import type { Counts, ShownRequest } from './shown.js';
import type { Target } from './verbs.js';

/** Where everything is, at the start. */
export interface Started {
  readonly origin: string;
  readonly settings: string;
  readonly ca: string;
  /** The line that starts an application against the simulator. */
  readonly command: string;
  /** The address for verbs. Its path holds the key. */
  readonly control: string;
  /** Absent with `--no-page`. */
  readonly page?: string;
  /** The names of the accounts, if there are any. */
  readonly accounts?: string;
}

/** A fault that a person or a program has chosen. */
export interface ChosenFault {
  readonly at: string;
  readonly by: 'option' | 'key' | 'control' | 'page';
  /** The chain of verbs as code. */
  readonly chain: string;
  /** What the action returned, for example how many tokens it revoked. */
  readonly result?: unknown;
}

/** Something that a person or a program did. */
export interface ShownAction extends ChosenFault {
  readonly id: number;
  readonly on: Target;
  /** A line of a test that does the same. */
  readonly code: string;
  /** The chain as JSON, for `curl`. Texts of a body or a token are part of it, because only the same page gets them. */
  readonly body: string;
}

/** Gets each event of the run at the moment when it happens. */
export interface SimulateReporter {
  started(facts: Started): void;
  request(request: ShownRequest, counts: Counts): void;
  fault(fault: ChosenFault): void;
  /** A new session has begun. */
  cleared(counts: Counts): void;
  ended(counts: Counts): void;
}
