import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type { AnyPair } from '../catalogue/catalogue.js';
import type { Cancellation } from './call-budget.js';

export type Config = InternalAxiosRequestConfig;

/** Bytes can be sent again. Anything else is read while it is sent. */
export type OutgoingBody = Buffer | AsyncIterable<Uint8Array> | null;

/**
 * One request as it goes out. It alone holds the token, and only a `Source` gets it. What callers see is made without it.
 */
export interface Outgoing {
  /** In upper case. */
  readonly method: string;
  /** Where to connect. The path is in `path`. */
  readonly url: URL;
  /** Path and query, as they are sent. */
  readonly path: string;
  /** A name, its value, the next name, and so on. */
  readonly headers: readonly string[];
  readonly body: OutgoingBody;
  /** Whether the body can be sent a second time, byte for byte. */
  readonly isRepeatable: boolean;
  /** Whether the address is under the base URL. If not, a redirect leads to a stranger, who must not see a client certificate. */
  readonly isUnderBase: boolean;
  /** The caller's config. It decides about the answer and is what the result shows. */
  readonly config: Config;
  /** Ends the request with its call. */
  readonly cancellation: Cancellation;
}

/** How one request ended. */
export interface Outcome {
  /** With an `error`, the answer has broken off: it has no `data`. */
  readonly response?: AxiosResponse | undefined;
  readonly error?: unknown;
  /** Whether the caller's body made the request fail. */
  readonly isOfBody?: boolean;
}

/** Gets the end of one request, once. */
export type OnOutcome = (outcome: Outcome) => void;

/** Sends requests and brings their answers: over `node:https`, or over undici's pools. */
export interface Source {
  /** Throws if a request has an option that this source does not carry out. */
  check?(config: Config, pair: AnyPair): void;
  send(outgoing: Outgoing, end: OnOutcome): void;
  /** Ends idle connections. The requests under way may end. */
  close(callsEnded: Promise<void>): Promise<void>;
}

/** What results show in place of the request. */
export interface RequestSnapshot {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly res?: { readonly responseUrl: string; readonly statusCode: number };
}

export function snapshotOf(
  { method, url, path }: Pick<Outgoing, 'method' | 'url' | 'path'>,
  statusCode?: number,
): RequestSnapshot {
  const host = url.hostname;
  if (statusCode === undefined) return Object.freeze({ method, host, path });
  const res = Object.freeze({ responseUrl: url.origin + path, statusCode });
  return Object.freeze({ method, host, path, res });
}
