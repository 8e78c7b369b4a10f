import type { AxiosResponse, CancelToken, InternalAxiosRequestConfig } from 'axios';

/** A request that is ready to be sent: its address and its headers were checked, and its body is in memory. */
export interface WireRequest {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  /** A name, its value, the next name, and so on: the headers of the config, and the token. */
  readonly headers: string[];
  readonly body: Buffer | null;
  /** What the result shows. It decides about the answer: `validateStatus`, `responseType`, `maxContentLength`. */
  readonly config: InternalAxiosRequestConfig;
  /** Ends the request with the call. The `timeout`, the `signal` and the `cancelToken` of the config are watched by the call. */
  readonly cancellation: CancelToken;
}

/**
 * Gets the result that axios' http adapter would give. With the response type `stream`, it gets the result with the head of the
 * answer, and `data` is a `ReceivedBody` instead of a stream.
 */
export interface ResultSink {
  resolve(response: AxiosResponse): void;
  reject(error: unknown): void;
}

/** Sends requests without an adapter, see `lib/http/direct`. */
export interface DirectSender {
  /** Whether the responses hold no real request, and no memory that they share with other requests. */
  readonly givesCleanResponses: boolean;
  /** Whether this sender can send a request of this kind. */
  accepts(method: string, body: Buffer | null): boolean;
  send(request: WireRequest, result: ResultSink): void;
}

/** What only the connections of `undiciTransport()` have. */
export interface DirectConnection {
  readonly directSender?: DirectSender;
}
