import type { Target } from './verbs.js';

/** A request as it is shown: no query, no credential, no token. */
export interface ShownRequest {
  /** Counts all requests since the start. */
  readonly id: number;
  readonly at: string;
  readonly kind: 'token' | 'api';
  /** The name of your own definition. */
  readonly provider?: string;
  readonly interface?: string;
  readonly environment?: string;
  readonly account?: string;
  readonly method: string;
  readonly path: string;
  /** Absent if there was no HTTP answer. */
  readonly status?: number;
  readonly reason: string;
  readonly ok: boolean;
  /** The id of the fault that answered. */
  readonly fault?: number;
  readonly durationMs: number;
  /** Counts the requests of this kind and pair. Absent for the doctor's. */
  readonly count?: number;
  /** The id of the refused call that this one repeats. */
  readonly resendOf?: number;
}

export interface Counts {
  readonly tokenRequests: number;
  readonly apiRequests: number;
  readonly failed: number;
  readonly failedTokenRequests: number;
  readonly failedCalls: number;
  /** Failed calls that were sent again and then worked. No caller saw the failure. */
  readonly recovered: number;
  /** Token requests that came too early: the last token was valid for at least half of its life. */
  readonly early: number;
}

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
  /** A short name. */
  readonly label: string;
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
