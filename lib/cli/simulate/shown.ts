import type { Target } from './verbs.js';

/** A request as it is shown: no query, no credential, no token. */
export interface ShownRequest {
  /** Counts all requests and actions since the start. */
  readonly id: number;
  readonly at: string;
  readonly kind: 'token' | 'api';
  readonly provider?: string | undefined;
  readonly interface?: string | undefined;
  readonly environment?: string | undefined;
  readonly account?: string | undefined;
  readonly method: string;
  readonly path: string;
  /** Undefined if there was no HTTP answer. */
  readonly status?: number | undefined;
  readonly reason: string;
  readonly ok: boolean;
  readonly fault?: number | undefined;
  readonly durationMs: number;
  /** Counts the requests of this kind and pair. Undefined for the doctor's. */
  readonly count?: number | undefined;
  /** The id of the refused call that this one repeats. */
  readonly resendOf?: number | undefined;
}

export const NO_COUNTS = {
  tokenRequests: 0,
  apiRequests: 0,
  failed: 0,
  failedTokenRequests: 0,
  failedCalls: 0,
  /** Failed calls that were sent again and then worked. No caller saw the failure. */
  recovered: 0,
};

export type Counts = Readonly<typeof NO_COUNTS>;

export interface ChosenFault {
  readonly at: string;
  readonly by: 'option' | 'key' | 'control' | 'page';
  readonly chain: string;
  /** What the action returned, for example how many tokens it revoked. */
  readonly result?: unknown;
}

/** The same for the page. */
export interface ShownAction extends ChosenFault {
  readonly id: number;
  readonly on: Target;
  readonly label: string;
  /** The chain as JSON, for `curl`. Texts of a body or a token are part of it, because only the same page gets them. */
  readonly body: string;
}

/** The events of a run, with the facts about each. */
export interface Events {
  readonly started: {
    readonly origin: string;
    readonly settings: string;
    readonly ca: string;
    readonly command: string;
    readonly control: string;
    readonly page?: string | undefined;
    readonly accounts?: string | undefined;
  };
  readonly request: ShownRequest & Counted;
  readonly fault: ChosenFault;
  readonly cleared: Counted;
  readonly ended: Counted;
}

type Counted = { readonly counts: Counts };

/** Gets each event at the moment when it happens. */
export type Report = <Event extends keyof Events>(event: Event, facts: Events[Event]) => void;
