import type { AxiosRequestConfig } from 'axios';
import type { Outcome } from '../../../support/http/transport-outcome.js';
import type { WireHandler, WireServer } from '../../../support/http/wire-server.js';

export interface Case {
  readonly name: string;
  /** A new one for each run: some bodies and signals work once. */
  readonly config?: (server: WireServer) => AxiosRequestConfig;
  readonly answer?: WireHandler;
  /** Where undici's transport differs on purpose, and why. */
  readonly differs?: Difference;
  readonly differsOnH2?: Difference;
  /** Whether the caller may give up before or after the request has arrived. */
  readonly mayNotArrive?: true;
  /** Why HTTP/2 has no such case. */
  readonly notOnH2?: string;
}

export interface Difference {
  readonly because: string;
  /** What undici's transport gives, from what axios' adapter gives. */
  readonly outcome: (theirs: Outcome) => Outcome;
}

/** For a difference that HTTP/2 does not have. */
export const SAME: Difference = { because: '', outcome: (theirs) => theirs };

export const AFTER_HEAD: Difference = {
  because: 'undici ends the connection after HEAD, against servers that send a body all the same',
  outcome: (theirs) => withRequest(theirs, { connection: 'close' }),
};

/** The same, but for some headers of the request; undefined takes one away. */
export function withRequest(theirs: Outcome, headers: Record<string, string | undefined>): Outcome {
  const seen = theirs.seen.map((request) => {
    const changed = Object.entries({ ...request.headers, ...headers });
    const left = changed.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    return { ...request, headers: Object.fromEntries(left) };
  });
  return { ...theirs, seen };
}
