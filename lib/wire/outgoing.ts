import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
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
  readonly url: URL;
  /** Path and query, as they are sent. */
  readonly path: string;
  /** A name, its value, the next name, and so on. */
  readonly headers: string[];
  readonly body: OutgoingBody;
  /**
   * Whether the address is under the base URL. Otherwise a redirect leads to a stranger, over a connection without the
   * certificates of the pair.
   */
  readonly isUnderBase: boolean;
  /** The caller's config. It decides about the answer and is what the result shows. */
  readonly config: Config;
  /** Ends the request with its call. */
  readonly cancellation: Cancellation;
}

/** Gets the end of one request: once, one of both. */
export interface ResultSink {
  resolve(response: AxiosResponse): void;
  reject(error: unknown): void;
}

/** Sends requests and brings their answers: over `node:https`, or over undici's pools. */
export interface Source {
  /** Throws if the request cannot be sent, for example because of an option that this source does not know. */
  send(outgoing: Outgoing, result: ResultSink): void;
  /** Lets the requests under way end. */
  close(callsEnded: Promise<void>): Promise<void>;
}
