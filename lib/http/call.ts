import { CanceledError, type InternalAxiosRequestConfig } from 'axios';
import { timeoutError } from '../net/timeout-error.js';
import type { Clock } from '../time/clock.js';
import { IDENTITY, TokenIdentity } from '../token/token-identity.js';
import type { TrackedTokenProvider } from '../token/token-provider.js';
import { isObject } from '../values/is-object.js';
import { Cancellation } from '../wire/wire-request.js';
import type { Sealing } from '../wire/received-body.js';
import type { AdapterTraits, CallDeadline } from './adapter/adapter-traits.js';
import { hasAny, takeAgents, type WithheldAgents } from './adapter/connection.js';
import { absorbErrorsOf } from './adapter/request-body.js';
import { fixedFormType } from './adapter/wire-config.js';
import { isDirectConfig } from './direct/direct-call.js';
import { CallTrace, snapshotOfCall } from './redaction/clean-request.js';
import { type StreamedBody, sealStream } from './redaction/sealed-stream.js';

/** How the caller of a call gets the result. */
export interface ResultStyle {
  /** Makes the body that the caller reads from a streamed body. The new body must not lead to the streamed body. */
  sealStream(body: StreamedBody, sealing: Sealing): unknown;
  /** Whether the headers of a success are searched for the token too. */
  readonly redactsSuccess: boolean;
  /** Whether a direct sender can send the config (B16). */
  isDirect(config: InternalAxiosRequestConfig): boolean;
}

const AXIOS_RESULT: ResultStyle = { sealStream, redactsSuccess: false, isDirect: isDirectConfig };

/** The members of a config that decide about the connection, besides the agents. */
const OF_CONNECTION = ['proxy', 'socketPath', 'lookup', 'family', 'transport', 'http2Options'];

/** One call of a caller: what stays the same over its attempts. */
export class Call {
  readonly budget: CallBudget;
  readonly trace: CallTrace;
  /** The content type of a form, which a resend repeats. Undefined for other bodies. */
  readonly formType: string | undefined;
  /** Which token the call needs. Undefined for that of the pair. */
  readonly identity: TokenIdentity | undefined;
  /** The provider of this token, from its first use on. @internal */
  tokens: TrackedTokenProvider | undefined;
  #agents: WithheldAgents | undefined;

  constructor(
    /** The caller's config. A token never is in this config, and every result shows the config. */
    readonly config: InternalAxiosRequestConfig,
    readonly traits: AdapterTraits,
    clock: Clock,
    agents?: WithheldAgents,
    readonly style: ResultStyle = AXIOS_RESULT,
  ) {
    this.identity = identityOf(config);
    this.trace = new CallTrace(config);
    this.budget = new CallBudget(this.trace, clock);
    this.#agents = agents;
    const hasBody = isObject(config.data);
    this.formType = hasBody && traits.isHttp ? fixedFormType(config) : undefined;
    if (hasBody) absorbErrorsOf(config.data);
  }

  /**
   * Whether the caller or the process chose how the request is sent. Then the settings of the module do not explain why it
   * failed, and one call must not make the health check fail.
   */
  get hasOwnConnection(): boolean {
    const { isAxiosOrTransport, isFetch, managesConnections } = this.traits;
    if (this.#agents !== undefined || !isAxiosOrTransport || (isFetch && !managesConnections)) return true;
    return hasAny(this.config, OF_CONNECTION);
  }

  get hasAgents(): boolean {
    return this.#agents !== undefined;
  }

  /** Takes the agents out of the config and remembers them. The config may have got further agents since the last attempt. */
  takeAgents(): WithheldAgents | undefined {
    return (this.#agents = takeAgents(this.config, this.#agents));
  }
}

/** Undefined for the token of the pair. A value that this package has not made must not fall back to that token. */
function identityOf(config: object): TokenIdentity | undefined {
  const value: unknown = Object.hasOwn(config, IDENTITY) ? Reflect.get(config, IDENTITY) : undefined;
  if (value === undefined || TokenIdentity.isOne(value)) return value;
  throw new TypeError(`The member ${IDENTITY} of a config comes from for() only.`);
}

type TracedCall = Pick<CallTrace, 'config' | 'address'>;

const doNothing = (): void => undefined;

/**
 * The time of one call: `timeout` limits the wait for a token and both attempts together (B4). The caller's `signal` and
 * `cancelToken` end the call at once (B5).
 */
export class CallBudget implements CallDeadline {
  /**
   * For the adapter. The caller's own token and signal are never passed on: axios' fetch adapter writes its config into
   * their `reason`, which other calls see (B12).
   */
  readonly cancellation = new Cancellation();
  readonly #call: TracedCall;
  readonly #stopTimer: () => void;
  readonly #unsubscribe: () => void;
  /** The caller's error when the budget ends. */
  #end?: Error;
  #reject: ((error: Error) => void) | undefined;
  #isStreaming = false;
  #whileWaiting = '';
  #unansweredMs: number | undefined;

  constructor(call: TracedCall, clock: Clock) {
    const { config } = call;
    this.#call = call;
    const ms = timeoutOf(config);
    this.#stopTimer = ms > 0 ? clock.after(ms, () => this.#timeOut(ms), 'awaited') : doNothing;
    this.#unsubscribe = config.signal || config.cancelToken ? this.#follow(config) : doNothing;
  }

  get isTimed(): boolean {
    return this.#stopTimer !== doNothing;
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  /** The time limit of the call, if the limit ended a request that was under way. */
  get unansweredMs(): number | undefined {
    return this.#unansweredMs;
  }

  get signal(): AbortSignal {
    return this.cancellation.toAbortSignal();
  }

  /** The outcome of the work, or the end of the budget if that comes first. */
  race<T>(work: Promise<T>): Promise<T> {
    return this.run((resolve, reject) => void work.then(resolve, reject));
  }

  /**
   * The same while the caller waits for a token. If the budget has ended, the work does not begin. The work gets no signal:
   * a signal for each waiting call would cost more than all else in an outage (B13).
   *
   * @param whileWaiting ends the message of a timeout.
   */
  wait<T>(begin: () => Promise<T>, whileWaiting: string): Promise<T> {
    return this.run((resolve, reject) => {
      if (!this.ended) void begin().then(resolve, reject);
    }, whileWaiting);
  }

  /** The same for work that calls back: a promise less for each call. */
  run<T>(
    work: (resolve: (result: T) => void, reject: (error: Error) => void) => void,
    whileWaiting = '',
  ): Promise<T> {
    this.#whileWaiting = whileWaiting;
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#end) reject(this.#end);
      work(resolve, reject);
    });
  }

  /** The response is a stream: its reader has no time limit. The reader or the caller's signal ends the stream. */
  lastsWithStream(): void {
    this.#stopTimer();
    this.#isStreaming = true;
  }

  /** The call is over, unless a stream is still being read. */
  settle(): void {
    if (!this.#isStreaming) this.finish();
  }

  /** Stops the timer and unsubscribes from the caller's signal. */
  finish(): void {
    this.#stopTimer();
    this.#unsubscribe();
  }

  #timeOut(ms: number): void {
    if (this.#whileWaiting === '') this.#unansweredMs = ms;
    this.#finishWith(this.#timeoutError());
  }

  #finishWith(error: Error): void {
    this.#end ??= error;
    this.#stopTimer();
    this.#reject?.(error);
    // Adapters reject with the reason and may add their config to it, so no caller sees this reason (B12). A reason with a
    // `type`, as an event has, makes axios' http adapter create an error that shows the request, and so its response.
    this.cancellation.cancel(Object.assign(new CanceledError(), { type: 'abort' }));
  }

  #follow({ signal, cancelToken }: InternalAxiosRequestConfig): () => void {
    const byToken = (reason?: unknown): void => this.#finishWith(reason as Error);
    const bySignal = (): void =>
      this.#finishWith(new CanceledError(undefined, this.#call.config, this.#request));
    if (signal?.aborted) bySignal();
    signal?.addEventListener?.('abort', bySignal);
    cancelToken?.subscribe(byToken);
    return () => {
      signal?.removeEventListener?.('abort', bySignal);
      cancelToken?.unsubscribe(byToken);
    };
  }

  #timeoutError(): Error {
    return timeoutError(this.#call.config, this.#request, this.#whileWaiting);
  }

  get #request(): unknown {
    return this.#call.address && snapshotOfCall(this.#call);
  }
}

/** As axios reads a timeout. If axios cannot read it, the adapter reports that. */
function timeoutOf({ timeout }: InternalAxiosRequestConfig): number {
  if (!timeout) return 0;
  return typeof timeout === 'number' && Number.isFinite(timeout)
    ? Math.trunc(timeout)
    : Number.parseInt(String(timeout), 10) || 0;
}
