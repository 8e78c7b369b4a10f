import { Socket } from 'node:net';
import { AxiosError, type AxiosResponse, isAxiosError } from 'axios';
import { TokenRequestError } from '../errors/token-request.error.js';
import { unpooled } from '../secrets/unpooled-buffer.js';
import type { Call } from './call.js';
import { type CallTrace, cleanRequest, snapshotOfCall } from './redaction/clean-request.js';
import { discardStream, isStream, sealStream } from './redaction/sealed-stream.js';

/** How one attempt ended. `validateStatus` decides whether a 401 is a response or a failure. */
export interface Outcome {
  readonly response?: AxiosResponse | undefined;
  readonly failure?: { readonly error: unknown };
}

export function answered(response: AxiosResponse): Outcome {
  return { response };
}

export function failed(error: unknown): Outcome {
  return { response: isAxiosError(error) ? error.response : undefined, failure: { error } };
}

/** Gives the caller the response or the error, without the token in any part (B12). */
export function deliver({ response, failure }: Outcome, call: Call): AxiosResponse | Promise<AxiosResponse> {
  if (failure) return deliverFailure(failure.error, response, call);
  if (response === undefined) throw new TypeError('The adapter of this request gave no answer.');
  const { trace } = call;
  cleanResponse(response, trace);
  seal(response, call);
  return mayBecomeAnError(response) ? redactResponse(response, trace).then(() => response) : response;
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
  cleanError(error, call.trace);
  if (response) {
    seal(response, call);
    await redactResponse(response, call.trace);
  }
  throw error;
}

/** A streamed body is read after the call, so the budget of the call lasts until the end of the stream. */
function seal(response: AxiosResponse, { budget, trace }: Call): void {
  if (typeof response.data !== 'object' || !isStream(response.data)) return;
  budget.lastsWithStream();
  response.data = sealStream(response.data, {
    clean(error) {
      cleanError(error, trace);
      return error;
    },
    ended: () => budget.finish(),
  });
}

/** A failed status that only `validateStatus` accepted, or JSON that axios may quote in an error if it cannot parse the text. */
function mayBecomeAnError({ status, config }: AxiosResponse): boolean {
  return (
    status >= 300 || (config.responseType === 'json' && config.transitional?.silentJSONParsing === false)
  );
}

/** Takes the token out of everything that a caller can reach from a response (B12). Changes the response itself. */
export function cleanResponse(response: AxiosResponse, trace: CallTrace): void {
  response.config = trace.config;
  if (Buffer.isBuffer(response.data)) response.data = unpooled(response.data);
  response.request = cleanRequest(response.request, trace, response.status);
}

/** Takes repeated tokens out of a failed response: its body, its headers, its reason phrase. A stream is not searched. */
export async function redactResponse(response: AxiosResponse, { redaction }: CallTrace): Promise<void> {
  const headers: Record<string, unknown> = response.headers ?? {};
  for (const name of Object.keys(headers)) {
    const value = redaction.value(headers[name]);
    const cleanName = redaction.text(name);
    if (cleanName !== name) delete headers[name];
    headers[cleanName] = value;
  }
  if (typeof response.statusText === 'string') response.statusText = redaction.text(response.statusText);
  response.data = await redaction.body(response.data);
}

/** The members that axios, Node and follow-redirects add to an error. */
interface AxiosLikeError {
  config?: unknown;
  request?: unknown;
  response?: AxiosResponse;
  cause?: unknown;
  errors?: unknown;
}

/** Raw bytes of the response, and the whole address. */
const UNSAFE_PROPERTIES = ['rawPacket', 'input', 'base'];

/** Takes the token out of an error and of its causes (B12). Changes the error itself, so callers get the class they expect. */
export function cleanError(error: unknown, trace: CallTrace, seen = new Set()): void {
  if (typeof error !== 'object' || error === null || seen.has(error)) return;
  // All callers of one failed token request share this error, and its texts are ours.
  if (error instanceof TokenRequestError) return;
  seen.add(error);
  const known: AxiosLikeError = error;
  if (known.response) cleanResponse(known.response, trace);
  if (known.request) known.request = known.response?.request ?? cleanRequest(known.request, trace);
  if (known.config) known.config = trace.config;
  for (const name of UNSAFE_PROPERTIES) Reflect.deleteProperty(error, name);
  redactTexts(error, trace);
  cleanError(known.cause, trace, seen);
  if (Array.isArray(known.errors)) for (const part of known.errors) cleanError(part, trace, seen);
}

/** `message`, `stack` and every other text: an adapter may have quoted what it was given. */
function redactTexts(error: object, { redaction }: CallTrace): void {
  for (const name of Reflect.ownKeys(error)) {
    const value: unknown = Reflect.get(error, name);
    if (typeof value !== 'string') continue;
    const clean = redaction.text(value);
    if (clean !== value) Reflect.set(error, name, clean);
  }
}

/** The parts of the requests of `node:http`, of follow-redirects, of HTTP/2 and of our transport that show the response. */
interface AnsweredRequest {
  readonly socket?: unknown;
  readonly statusCode?: number;
  readonly res?: { readonly statusCode?: number } | null;
  readonly [CURRENT]?: AnsweredRequest;
}
const CURRENT = '_currentRequest';

/** The status that the API gave, also if the rest of its response was not received. */
export function statusOf({ response, failure }: Outcome): number | undefined {
  if (response) return response.status;
  if (!isAxiosError(failure?.error)) return undefined;
  const made = failure.error.request as AnsweredRequest | undefined;
  const request = made?.[CURRENT] ?? made;
  return isWithoutTls(request) ? undefined : (request?.res?.statusCode ?? request?.statusCode);
}

/**
 * Whether a proxy answered instead of the API. If a proxy refuses a tunnel, the agent gives the proxy's answer to the
 * request, over a socket without TLS. Any machine on the way to the proxy could have written that answer.
 */
export function isFromProxy({ response }: Outcome): boolean {
  return isWithoutTls(response?.request as AnsweredRequest | undefined);
}

function isWithoutTls(request: AnsweredRequest | undefined): boolean {
  const socket = request?.socket;
  return socket instanceof Socket && Reflect.get(socket, 'encrypted') !== true;
}

/** Without the answer of the proxy: no caller may take that answer for the API's (S9). */
export function proxyFailure({ response }: Outcome, { trace }: Call): AxiosError {
  return new AxiosError(
    `The proxy answered instead of the API, with status ${response?.status}: it made no connection to the API. ` +
      'Check the address and the credentials of the proxy (http.proxy, or HTTPS_PROXY), and whether it allows this host.',
    AxiosError.ERR_BAD_RESPONSE,
    trace.config,
    snapshotOfCall(trace),
  );
}
