import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { TLSSocket } from 'node:tls';
import { DOCTOR_HEADER } from '../../catalogue/wire.js';

/** A request and its answer. The body and the headers are left out, because they contain secrets. */
export interface ObservedRequest {
  readonly kind: 'token' | 'api';
  readonly interface?: string | undefined;
  readonly environment?: string | undefined;
  /** The account whose client id or token the request has. */
  readonly account?: string | undefined;
  readonly at: Date;
  readonly method: string;
  /** The path under the base URL, or the whole path of a token request. */
  readonly path: string;
  /** Why the answer has its status. Contains no credential and no token. */
  readonly reason: string;
  /** The id of the script that answered, if one did. */
  readonly fault?: number;
  /** The statuses with which the API refuses a token. */
  readonly refusedWith: readonly number[];
  /** Whether the request got a token while the last token of the pair was valid for at least half of its life. */
  readonly isEarly: boolean;
  readonly isOfDoctor: boolean;
  /** Whether the request is the first one of a new TLS session. Then its process may have just started, without tokens. */
  readonly isFirstOfSession: boolean;
  /** Undefined if the connection ended without an HTTP answer. */
  readonly status: number | undefined;
  readonly isComplete: boolean;
  readonly durationMs: number;
}

type Findings = Partial<ObservedRequest>;

/** Reports each request when its answer has ended. Without an observer, a request costs one comparison. */
export class RequestObservers {
  readonly #observers = new Set<(request: ObservedRequest) => void>();
  readonly #findings = new WeakMap<IncomingMessage, Findings>();
  readonly #known = new WeakSet<Socket>();

  constructor(private readonly now: () => number) {}

  add(observer: (request: ObservedRequest) => void): void {
    this.#observers.add(observer);
  }

  begin(
    request: IncomingMessage,
    response: ServerResponse,
    destination: Findings & Pick<ObservedRequest, 'kind'>,
  ): void {
    if (this.#observers.size === 0) return;
    const started = performance.now();
    const { method = '', url: path = '', headers, socket } = request;
    const isFirstOfSession =
      !this.#known.has(socket) && socket instanceof TLSSocket && !socket.isSessionReused();
    this.#known.add(socket);
    const received = {
      at: new Date(this.now()),
      method,
      path,
      reason: '',
      refusedWith: [],
      isEarly: false,
      isOfDoctor: headers[DOCTOR_HEADER] !== undefined,
      isFirstOfSession,
      ...destination,
    };
    this.#findings.set(request, {});
    response.once('close', () => {
      const observed = {
        ...received,
        ...this.#findings.get(request),
        status: response.headersSent ? response.statusCode : undefined,
        isComplete: response.writableFinished,
        durationMs: performance.now() - started,
      };
      for (const observer of this.#observers) observer(observed);
    });
  }

  /** Adds what an endpoint has found out about a request. */
  note(request: IncomingMessage, findings: Findings): void {
    Object.assign(this.#findings.get(request) ?? {}, findings);
  }
}
