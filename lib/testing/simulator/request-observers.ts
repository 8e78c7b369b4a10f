import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';

/** What the endpoints find out about a request. */
interface Findings {
  readonly kind: 'token' | 'api';
  readonly interface: string | undefined;
  readonly environment: string | undefined;
  /** The account whose client id or token the request has. */
  readonly account: string | undefined;
  /** The path under the base URL, or the whole path of a token request. */
  readonly path: string;
  /** Why the answer has its status. Contains no credential and no token. */
  readonly reason: string;
  /** The id of the script that answered, if one did. */
  readonly fault: number | undefined;
  /** The statuses with which the API refuses a token. */
  readonly refusedWith: readonly number[];
  /** Whether the request got a token while the last token of the pair was valid for at least half of its life. */
  readonly isEarly: boolean;
}

/** A request and its answer. The body and the headers are left out, because they contain secrets. */
export interface ObservedRequest extends Findings {
  /** When it arrived, by the simulator's clock. */
  readonly at: Date;
  readonly method: string;
  /** Undefined if the connection ended without an HTTP answer. */
  readonly status: number | undefined;
  /** Whether the client received the whole answer. */
  readonly isComplete: boolean;
  readonly durationMs: number;
}

type Observer = (request: ObservedRequest) => void;

/** Reports each request when its answer has ended. Without an observer, a request costs one comparison. */
export class RequestObservers {
  readonly #observers = new Set<Observer>();
  readonly #findings = new WeakMap<IncomingMessage, Findings>();

  constructor(private readonly now: () => number) {}

  add(observer: Observer): void {
    this.#observers.add(observer);
  }

  begin(
    request: IncomingMessage,
    response: ServerResponse,
    first: Partial<Findings> & Pick<Findings, 'kind'>,
  ): void {
    if (this.#observers.size === 0) return;
    const at = new Date(this.now());
    const started = performance.now();
    this.#findings.set(request, {
      interface: undefined,
      environment: undefined,
      account: undefined,
      path: request.url ?? '',
      reason: '',
      fault: undefined,
      refusedWith: [],
      isEarly: false,
      ...first,
    });
    response.once('close', () => {
      const findings = this.#findings.get(request);
      if (findings === undefined) return;
      const observed = {
        ...findings,
        at,
        method: request.method ?? '',
        status: response.headersSent ? response.statusCode : undefined,
        isComplete: response.writableFinished,
        durationMs: performance.now() - started,
      };
      for (const observer of this.#observers) observer(observed);
    });
  }

  /** Adds what an endpoint has found out about a request. */
  note(request: IncomingMessage, findings: Partial<Findings>): void {
    const before = this.#findings.get(request);
    if (before !== undefined) this.#findings.set(request, { ...before, ...findings });
  }
}
