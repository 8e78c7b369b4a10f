import type { AxiosResponse } from 'axios';
import { isSendablePath, pathWithParams, type RequestAddress } from '../net/base-address.js';
import type { DirectSender, ResultSink, WireRequest } from '../wire/wire-request.js';
import { AUTHORIZATION_HEADER } from '../catalogue/wire.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Call } from './call.js';
import { isAuthorization } from './redaction/clean-request.js';
import { answered, endOf, failed, type OnUnreadRefusal, type Outcome } from './outcome.js';

/**
 * An attempt of an ordinary call (B16). Its config needs no copy: no adapter gets the config, and the token goes into a list
 * that only the sender gets. `express/ordinary-call.ts` has checked the members that an `Attempt` checks in its copy.
 */
export class DirectAttempt implements ResultSink {
  readonly hasOwnCredentials = false;
  readonly #sender: DirectSender;
  readonly #call: Call;
  readonly #address: RequestAddress;
  readonly #line: RequestLine;
  #token: AccessToken | undefined;
  #end: ((outcome: Outcome) => void) | undefined;
  #onUnreadRefusal: OnUnreadRefusal | undefined;

  private constructor(sender: DirectSender, call: Call, address: RequestAddress, line: RequestLine) {
    this.#sender = sender;
    this.#call = call;
    this.#address = address;
    this.#line = line;
  }

  /** Undefined if the call needs an `Attempt`, which may also refuse the call. */
  static of(sender: DirectSender, call: Call, address: RequestAddress): DirectAttempt | undefined {
    if (address.verdict !== 'UNDER_BASE_URL' || address.hasCredentials) return undefined;
    const line = requestLine(call.config, address);
    if (line === undefined || !sender.accepts(line.method, line.body)) return undefined;
    return new DirectAttempt(sender, call, address, line);
  }

  get testedToken(): AccessToken | undefined {
    return this.#token;
  }

  /** See `Attempt.send`. */
  send(token: AccessToken | undefined, onUnreadRefusal: OnUnreadRefusal): Promise<Outcome> {
    const { config, trace, budget } = this.#call;
    if (token === undefined) throw new TypeError('An ordinary request is never sent without a token.');
    this.#token = token;
    trace.addToken(token.reveal());
    trace.address = this.#address;
    const { method, path, body } = this.#line;
    const headers = headerList(config, token);
    const request: WireRequest = { method, path, headers, body, config, cancellation: budget.cancellation };
    this.#onUnreadRefusal = onUnreadRefusal;
    return budget.run((end) => {
      this.#end = end;
      try {
        this.#sender.send(request, this);
      } catch (error) {
        this.reject(error);
      }
    });
  }

  resolve(response: AxiosResponse): void {
    this.#endWith(answered(response, this.#sender.givesCleanResponses));
  }

  reject(error: unknown): void {
    this.#endWith(failed(error));
  }

  #endWith(outcome: Outcome): void {
    if (this.#end === undefined || this.#onUnreadRefusal === undefined) return;
    this.#end(endOf(outcome, this.#call, this.#token, this.#onUnreadRefusal));
  }
}

interface RequestLine {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer | null;
}

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

/** Undefined if the transform of axios has made another body than a text or bytes. */
function bytesOf(data: unknown): Buffer | null | undefined {
  if (data === undefined || data === null || data === '') return null;
  if (typeof data === 'string') return Buffer.from(data);
  return Buffer.isBuffer(data) ? data : undefined;
}

/** There is one `Authorization`, also if code of the application adds another one after the check. */
function headerList({ headers }: Call['config'], token: AccessToken): string[] {
  const list: string[] = [];
  for (const name of Object.keys(headers)) {
    const value = headers[name] as string | number | null | undefined;
    if (value !== undefined && value !== null && !isAuthorization(name)) list.push(name, String(value));
  }
  list.push(AUTHORIZATION_HEADER, `Bearer ${token.reveal()}`);
  return list;
}
