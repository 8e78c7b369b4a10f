import { Socket } from 'node:net';
import { AxiosError, type AxiosResponse, isAxiosError } from 'axios';
import { usesTls } from '../net/proxy.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import type { AccessToken } from '../secrets/access-token.js';
import { unpooled } from '../secrets/unpooled-buffer.js';
import { isObject } from '../values/is-object.js';
import { safely } from '../values/safely.js';
import type { Sealing } from '../wire/received-body.js';
import type { Call } from './call.js';
import {
  type AdapterRequest,
  type CallTrace,
  cleanRequest,
  CURRENT,
  snapshotOfCall,
} from './redaction/clean-request.js';
import { discardStream, isStream } from './redaction/sealed-stream.js';

/** How one attempt ended. `validateStatus` decides whether a 401 is a response or a failure. */
export interface Outcome {
  readonly response?: AxiosResponse | undefined;
  readonly failure?: { readonly error: unknown } | undefined;
  /** Whether the sender gave a response in which no part leads to the token. */
  readonly isClean?: boolean;
  /** The status of a proxy that answered instead of the API. */
  readonly proxyStatus?: number | undefined;
}

/** An adapter of the application may reject with a frozen error. Advice and a cause are added to a copy (B28, B29). */
export function failed(given: unknown): Outcome {
  const isFixed = isObject(given) && !(given instanceof TokenRequestError) && !Object.isExtensible(given);
  const error: unknown = isFixed ? unlockedCopy(given) : given;
  return { response: isAxiosError(error) ? error.response : undefined, failure: { error } };
}

/** Gets the token and the status of a response that no caller receives. The API may have refused the token. */
export type OnUnread = (call: Call, tested: AccessToken, status: number | undefined) => void;

/** What a call makes of the end of one attempt. An outcome that no caller receives is discarded. */
export function settleAttempt(
  outcome: Outcome,
  call: Call,
  testedToken: AccessToken | undefined,
  onUnread: OnUnread | undefined,
): Outcome {
  if (isFromProxy(outcome)) {
    discard(outcome, call);
    return { ...failed(proxyFailure(outcome, call)), proxyStatus: outcome.response?.status };
  }
  const isUnread = call.budget.ended || outcome.response === undefined;
  if (isUnread && testedToken) onUnread?.(call, testedToken, statusOf(outcome));
  if (call.budget.ended) discard(outcome, call);
  return outcome;
}

/** Gives the caller the response or the error, without the token in any part (B12). */
export function deliver(
  { response, failure, isClean }: Outcome,
  call: Call,
): AxiosResponse | Promise<AxiosResponse> {
  if (failure) return deliverFailure(failure.error, response, call);
  if (response === undefined) throw new TypeError('The adapter of this request gave no answer.');
  const { trace } = call;
  const clean = isClean ? response : cleanResponse(response, trace);
  seal(clean, call);
  if (mayBecomeAnError(clean)) return redactResponse(clean, trace).then(() => clean);
  if (call.style.redactsSuccess) redactHead(clean, trace);
  return clean;
}

/** Drops an outcome that no caller receives. The application may own the connection, which may stay open (B12). */
export function discard({ response, failure }: Outcome, { trace }: Call): void {
  if (failure && isAxiosError(failure.error)) cleanRequest(failure.error.request, trace);
  if (response === undefined) return;
  cleanResponse(response, trace);
  discardStream(response.data);
}

async function deliverFailure(
  error: unknown,
  response: AxiosResponse | undefined,
  call: Call,
): Promise<never> {
  const clean = cleanError(error, call.trace);
  const given = isAxiosError(clean) ? clean.response : response;
  if (given) {
    seal(given, call);
    await redactResponse(given, call.trace);
  }
  throw clean;
}

/** A streamed body is read after the call, so the budget of the call lasts until the end of the stream. */
function seal(response: AxiosResponse, { budget, trace, style }: Call): void {
  if (typeof response.data !== 'object' || !isStream(response.data)) return;
  budget.lastsWithStream();
  const sealing: Sealing = {
    clean: (error) => cleanError(error, trace),
    ended: () => budget.finish(),
  };
  response.data = style.sealStream(response.data, sealing, response.headers);
}

/** A failed status that only `validateStatus` accepted, or JSON that axios may quote in an error if it cannot parse the text. */
function mayBecomeAnError({ status, config }: AxiosResponse): boolean {
  return (
    status >= 300 || (config.responseType === 'json' && config.transitional?.silentJSONParsing === false)
  );
}

/**
 * Takes the token out of everything that a caller can reach from a response (B12). Returns the response itself, or a copy of
 * a response that an adapter of the application has locked (B28).
 */
export function cleanResponse(response: AxiosResponse, trace: CallTrace): AxiosResponse {
  try {
    response.config = trace.config;
    if (Buffer.isBuffer(response.data)) response.data = unpooled(response.data);
    response.request = cleanRequest(response.request, trace, response.status);
    return response;
  } catch {
    const { status, statusText, headers } = response;
    const [data, request] = [response.data as unknown, response.request as unknown];
    return cleanResponse({ data, status, statusText, headers, config: trace.config, request }, trace);
  }
}

/** Takes repeated tokens out of a failed response: its body, its headers, its reason phrase. A stream is not searched. */
export async function redactResponse(response: AxiosResponse, trace: CallTrace): Promise<void> {
  redactHead(response, trace);
  response.data = await trace.redaction.body(response.data);
}

function redactHead(response: AxiosResponse, { redaction }: CallTrace): void {
  const given: Record<string, unknown> = response.headers ?? {};
  const headers = Object.isFrozen(given) ? { ...given } : given;
  if (headers !== given) response.headers = headers as AxiosResponse['headers'];
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    const cleanValue = typeof value === 'string' ? redaction.text(value) : redaction.value(value);
    const cleanName = redaction.text(name);
    if (cleanName !== name) delete headers[name];
    if (cleanName !== name || cleanValue !== value) headers[cleanName] = cleanValue;
  }
  if (typeof response.statusText === 'string') response.statusText = redaction.text(response.statusText);
}

interface AxiosLikeError {
  config?: unknown;
  request?: unknown;
  response?: AxiosResponse;
  cause?: unknown;
  errors?: unknown;
}

/** Raw bytes of the response, and the whole address. */
const UNSAFE_PROPERTIES = ['rawPacket', 'input', 'base'];

/**
 * Takes the token out of an error and of its causes (B12). Returns the error itself, so callers get the class they expect, or
 * a copy of the same class if the error cannot be changed (B28).
 *
 * @param seen the errors that were cleaned already, each with what callers get in its place.
 */
export function cleanError<Given>(error: Given, trace: CallTrace, seen?: Map<object, object>): Given;
export function cleanError(error: unknown, trace: CallTrace, seen = new Map<object, object>()): unknown {
  if (typeof error !== 'object' || error === null) return error;
  // Its texts are ours, and it leads to nothing of a server.
  if (error instanceof TokenRequestError) return error;
  const before = seen.get(error);
  if (before !== undefined) return before;
  const clean = Reflect.ownKeys(error).some((name) => isStuck(error, name, trace))
    ? unlockedCopy(error)
    : error;
  seen.set(error, clean);
  const member = <Name extends keyof AxiosLikeError>(name: Name): AxiosLikeError[Name] | undefined =>
    safely(() => (clean as AxiosLikeError)[name], undefined);
  const response = member('response');
  const request = member('request');
  const errors = member('errors');
  const cleanedResponse = response && cleanResponse(response, trace);
  put(clean, 'response', cleanedResponse);
  if (request) put(clean, 'request', cleanedResponse?.request ?? cleanRequest(request, trace));
  if (member('config')) put(clean, 'config', trace.config);
  for (const name of UNSAFE_PROPERTIES) Reflect.deleteProperty(clean, name);
  redactTexts(clean, trace);
  put(clean, 'cause', cleanError(member('cause'), trace, seen));
  if (Array.isArray(errors)) {
    const parts = errors.map((part: unknown) => cleanError(part, trace, seen));
    if (parts.some((part, index) => part !== errors[index])) put(clean, 'errors', parts);
  }
  return clean;
}

const REPLACED: PropertyKey[] = ['config', 'request', 'response', 'cause', 'errors', ...UNSAFE_PROPERTIES];

function isStuck(error: object, name: PropertyKey, { redaction }: CallTrace): boolean {
  if (!isLocked(error, name)) return false;
  const value: unknown = Reflect.get(error, name);
  return REPLACED.includes(name) || (typeof value === 'string' && redaction.text(value) !== value);
}

/** `message`, `stack` and every other text: an adapter may have quoted what it was given. */
function redactTexts(error: object, { redaction }: CallTrace): void {
  for (const name of Reflect.ownKeys(error)) {
    const value = safely((): unknown => Reflect.get(error, name), undefined);
    if (typeof value !== 'string') continue;
    const clean = redaction.text(value);
    if (clean !== value) put(error, name, clean);
  }
}

/** Whether a member can be neither changed nor removed. */
function isLocked(owner: object, name: PropertyKey): boolean {
  const { configurable, writable } = Reflect.getOwnPropertyDescriptor(owner, name) ?? {};
  return configurable === false && writable !== true;
}

/**
 * A copy of an error, of the same class, with members that can be changed. `util.inspect` and loggers show an error with its
 * stack only if it was made as an error.
 */
function unlockedCopy(error: object): object {
  const copy = Object.setPrototypeOf(new Error(), Object.getPrototypeOf(error) as object | null) as object;
  Reflect.deleteProperty(copy, 'stack');
  for (const name of Reflect.ownKeys(error)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(error, name);
    const isData = descriptor !== undefined && 'value' in descriptor;
    Reflect.defineProperty(copy, name, {
      ...descriptor,
      configurable: true,
      ...(isData && { writable: true }),
    });
  }
  return copy;
}

/** Sets a member, even if it has no setter, or a setter that throws. */
function put(owner: object, name: PropertyKey, value: unknown): void {
  if (safely(() => Reflect.get(owner, name) === value || Reflect.set(owner, name, value), false)) return;
  Reflect.defineProperty(owner, name, { value, configurable: true, writable: true });
}

/** The status that the API gave, even if the rest of its response was not received. */
export function statusOf({ response, failure }: Outcome): number | undefined {
  if (response) return response.status;
  if (!isAxiosError(failure?.error)) return undefined;
  const made = failure.error.request as AdapterRequest | undefined;
  const request = made?.[CURRENT] ?? made;
  return isWithoutTls(request) ? undefined : (request?.res?.statusCode ?? request?.statusCode);
}

export function isFromProxy({ response }: Outcome): boolean {
  return isWithoutTls(response?.request as AdapterRequest | undefined);
}

function isWithoutTls(request: AdapterRequest | undefined): boolean {
  const socket = request?.socket;
  // The request of a mock library may have no real socket.
  return socket instanceof Socket && !usesTls(socket);
}

/**
 * Without the answer of the proxy: no caller may take that answer for the API's (S9). A request with the module's token and
 * connection gets advice from the report.
 */
export function proxyFailure({ response }: Outcome, { trace }: Call): AxiosError {
  return new AxiosError(
    `The proxy answered instead of the API, with status ${response?.status}: it made no connection to the API.`,
    AxiosError.ERR_BAD_RESPONSE,
    trace.config,
    snapshotOfCall(trace),
  );
}
