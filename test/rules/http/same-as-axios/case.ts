import type { AxiosRequestConfig } from 'axios';
import type { Outcome } from '../../../support/http/transport-outcome.js';
import type { WireHandler, WireServer } from '../../../support/http/wire-server.js';

export interface Case {
  readonly name: string;
  /** Creates a new config for each run, because some bodies and signals work only once. */
  readonly config?: (server: WireServer) => AxiosRequestConfig;
  readonly answer?: WireHandler;
  /** How and why a client of ours differs on purpose. */
  readonly differs?: Difference;
  /** Whether the caller may give up before or after the request has arrived. */
  readonly mayNotArrive?: true;
}

export interface Difference {
  /** The transport that differs. Undefined for both. */
  readonly on?: 'node:https' | 'undici';
  readonly because: string;
  /** Makes the outcome of our client from the outcome of axios. */
  readonly outcome: (ofAxios: Outcome) => Outcome;
}

export const AFTER_HEAD: Difference = {
  on: 'undici',
  because: 'undici ends the connection after HEAD, against servers that send a body all the same',
  outcome: (ofAxios) => withRequest(ofAxios, { connection: 'close' }),
};

/** The same outcome with some headers of the request changed. Undefined removes a header. */
export function withRequest(ofAxios: Outcome, headers: Record<string, string | undefined>): Outcome {
  const seen = ofAxios.seen.map((request) => {
    const changed = Object.entries({ ...request.headers, ...headers });
    const left = changed.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    return { ...request, headers: Object.fromEntries(left) };
  });
  return { ...ofAxios, seen };
}

/** A request that undici does not send, with an error that says so. */
export function refusedByUndici(what: string): Difference {
  const error = { code: 'ERR_INVALID_ARG_VALUE', name: 'Error', isCancel: false, hasConfig: true };
  return {
    on: 'undici',
    because: 'undici does not send it',
    outcome: () => ({ error: { ...error, message: `undici does not send this request: ${what}` }, seen: [] }),
  };
}

/** The code is that of Node. */
export function notHttp(words: string): Difference {
  return {
    on: 'undici',
    because: 'the words are those of undici',
    outcome: (ofAxios) => ({
      ...ofAxios,
      error: {
        ...ofAxios.error!,
        message: `The answer is not valid HTTP: ${words}`,
      },
    }),
  };
}
