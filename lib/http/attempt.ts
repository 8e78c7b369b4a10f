import type { AxiosResponse } from 'axios';
import { isSendablePath, pathWithParams, type RequestAddress } from '../net/base-address.js';
import type { DirectSender, ResultSink, WireRequest } from '../wire/wire-request.js';
import { AUTHORIZATION_HEADER, SCHEME } from '../catalogue/wire.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { RedirectPolicy } from './adapter/redirect-policy.js';
import type { Call } from './call.js';
import { isAuthorization } from './redaction/clean-request.js';
import { settleAttempt, failed, type OnUnread, type Outcome } from './outcome.js';

/** How an attempt is sent: past all adapters (`DirectPlan`), or through an adapter (`AdapterPlan`). */
export interface Plan {
  /** Whether the request has credentials of the caller. Then it is sent without a token. */
  readonly hasOwnCredentials: boolean;
  readonly address: RequestAddress;
  /** What has happened to a request that may follow redirects. */
  readonly redirects: Pick<RedirectPolicy, 'carriesToken' | 'isRedirected' | 'changedMethod'> | undefined;
  readonly givesCleanResponses: boolean;
  /**
   * Adds what only the request has.
   *
   * @param authorization required, unless the request has its own credentials (S7).
   */
  complete(authorization: string | undefined): void;
  send(result: ResultSink): void;
}

/** A request that is sent once. After a wait, a new attempt is made. */
export class Attempt implements ResultSink {
  #token: AccessToken | undefined;
  #onUnread: OnUnread | undefined;
  #end: ((outcome: Outcome) => void) | undefined;
  #fail: ((error: Error) => void) | undefined;

  constructor(
    private readonly call: Call,
    /** Another plan sends the request again. */
    public plan: Plan,
    private readonly scheme = SCHEME,
  ) {}

  /** The token that a response confirms or refuses: the token that was sent. */
  get testedToken(): AccessToken | undefined {
    // After a redirect to another address without the token, the response says nothing about a token.
    return this.plan.redirects?.carriesToken === false ? undefined : this.#token;
  }

  /** Returns how the attempt ended. Rejects only if the budget of the call ended first. */
  send(token: AccessToken | undefined, onUnread: OnUnread): Promise<Outcome> {
    const { trace, budget } = this.call;
    if (token) trace.addToken(token.reveal());
    this.plan.complete(token && `${this.scheme} ${token.reveal()}`);
    this.#token = token;
    this.#onUnread = onUnread;
    trace.address = this.plan.address;
    return budget.run((end, fail) => {
      this.#end = end;
      this.#fail = fail;
      try {
        this.plan.send(this);
      } catch (error) {
        this.reject(error);
      }
    });
  }

  resolve(response: AxiosResponse): void {
    this.#endWith({ response, failure: undefined, isClean: this.plan.givesCleanResponses });
  }

  reject(error: unknown): void {
    this.#endWith(failed(error));
  }

  #endWith(outcome: Outcome): void {
    try {
      this.#end?.(settleAttempt(outcome, this.call, this.testedToken, this.#onUnread));
    } catch (error) {
      this.#fail?.(error as Error);
    }
  }
}

/**
 * Sends a direct call (B16). Its config needs no copy: the token goes into a list that only the sender gets, and
 * `direct/direct-call.ts` has checked the members that an `AdapterPlan` checks in its copy.
 */
export class DirectPlan implements Plan {
  readonly hasOwnCredentials = false;
  readonly redirects = undefined;
  readonly givesCleanResponses: boolean;
  #headers: string[] = NO_HEADERS;

  private constructor(
    private readonly sender: DirectSender,
    private readonly call: Call,
    readonly address: RequestAddress,
    private readonly line: RequestLine,
  ) {
    this.givesCleanResponses = sender.givesCleanResponses;
  }

  /** Undefined if the call needs an `AdapterPlan`, which may also refuse the call. */
  static of(sender: DirectSender, call: Call, address: RequestAddress): DirectPlan | undefined {
    if (address.verdict !== 'UNDER_BASE_URL' || address.hasCredentials) return undefined;
    const line = requestLine(call.config, address);
    if (line === undefined || !sender.accepts(line.method, line.body)) return undefined;
    return new DirectPlan(sender, call, address, line);
  }

  complete(authorization: string | undefined): void {
    if (authorization === undefined) throw new TypeError('A direct request is never sent without a token.');
    this.#headers = headerList(this.call.config, authorization);
  }

  send(result: ResultSink): void {
    const { config, budget } = this.call;
    const { method, path, body } = this.line;
    const headers = this.#headers;
    this.sender.send({ method, path, headers, body, config, cancellation: budget.cancellation }, result);
  }
}

const NO_HEADERS: string[] = [];

type RequestLine = Pick<WireRequest, 'method' | 'path' | 'body'>;

function requestLine(config: Call['config'], address: RequestAddress): RequestLine | undefined {
  const body = bytesOf(config.data);
  const { maxBodyLength = -1 } = config;
  if (body === undefined || (maxBodyLength > -1 && body !== null && body.length > maxBodyLength))
    return undefined;
  try {
    const path = pathWithParams(address, config);
    const method = (config.method ?? 'get').toUpperCase();
    return isSendablePath(path) ? { method, path, body } : undefined;
  } catch {
    // The general path reports params that cannot be written.
    return undefined;
  }
}

function bytesOf(data: unknown): Buffer | null | undefined {
  if (data === undefined || data === null || data === '') return null;
  if (typeof data === 'string') return Buffer.from(data);
  return Buffer.isBuffer(data) ? data : undefined;
}

/** There is one `Authorization`, even if code of the application adds another one after the check. */
function headerList({ headers }: Call['config'], authorization: string): string[] {
  const list: string[] = [];
  for (const name of Object.keys(headers)) {
    const value = headers[name] as string | number | null | undefined;
    if (value !== undefined && value !== null && !isAuthorization(name)) list.push(name, String(value));
  }
  list.push(AUTHORIZATION_HEADER, authorization);
  return list;
}
