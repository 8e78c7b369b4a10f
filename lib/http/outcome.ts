import { Socket } from 'node:net';
import { AxiosError, type AxiosResponse, isAxiosError } from 'axios';
import type { Call } from './call.js';
import { cleanError } from './redaction/clean-error.js';
import { cleanRequest, cleanResponse, redactResponse } from './redaction/clean-response.js';
import { snapshotOfCall } from './redaction/request-snapshot.js';
import { discardStream, isStream, sealStream } from './redaction/sealed-stream.js';

/** How one attempt ended. A 401 may come either way, as `validateStatus` pleases. */
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

/** Gives the caller what is theirs, the answer or the error, with the token nowhere in it (B12). */
export function deliver({ response, failure }: Outcome, call: Call): AxiosResponse | Promise<AxiosResponse> {
  if (failure) return deliverFailure(failure.error, response, call);
  if (response === undefined) throw new TypeError('The adapter of this request gave no answer.');
  const { trace } = call;
  cleanResponse(response, trace);
  seal(response, call);
  return mayBecomeAnError(response) ? redactResponse(response, trace).then(() => response) : response;
}

/** Lets go of an outcome that no caller receives. Its connection may be the application's, and stay open (B12). */
export function discard({ response, failure }: Outcome, { trace }: Call): void {
  if (failure && isAxiosError(failure.error)) cleanRequest(failure.error.request, trace);
  if (response === undefined) return;
  cleanResponse(response, trace);
  discardStream(response.data);
}

/** The parts of the requests of `node:http`, of follow-redirects, of HTTP/2 and of our transport that say what came back. */
interface AnsweredRequest {
  readonly socket?: unknown;
  readonly statusCode?: number;
  readonly res?: { readonly statusCode?: number } | null;
  readonly [CURRENT]?: AnsweredRequest;
}
const CURRENT = '_currentRequest';

/** The status that the API gave, also where the rest of its answer was not received. */
export function statusOf({ response, failure }: Outcome): number | undefined {
  if (response) return response.status;
  if (!isAxiosError(failure?.error)) return undefined;
  const made = failure.error.request as AnsweredRequest | undefined;
  const request = made?.[CURRENT] ?? made;
  return isInTheClear(request) ? undefined : (request?.res?.statusCode ?? request?.statusCode);
}

/**
 * Whether a proxy has answered instead of the API. An agent that is refused a tunnel gives the proxy's answer to the
 * request, over a socket without TLS; anybody on the way to the proxy could have written that.
 */
export function isFromProxy({ response }: Outcome): boolean {
  return isInTheClear(response?.request as AnsweredRequest | undefined);
}

function isInTheClear(request: AnsweredRequest | undefined): boolean {
  const socket = request?.socket;
  return socket instanceof Socket && Reflect.get(socket, 'encrypted') !== true;
}

/** Without the answer: no caller may take it for the API's (S9). */
export function proxyFailure({ response }: Outcome, { trace }: Call): AxiosError {
  return new AxiosError(
    `The proxy answered instead of the API, with status ${response?.status}: it made no connection to the API. ` +
      'Check the address and the credentials of the proxy (http.proxy, or HTTPS_PROXY), and whether it allows this host.',
    AxiosError.ERR_BAD_RESPONSE,
    trace.config,
    snapshotOfCall(trace),
  );
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

function seal(response: AxiosResponse, { budget, trace }: Call): void {
  if (!isStream(response.data)) return;
  budget.lastsWithStream();
  response.data = sealStream(response.data, {
    clean(error) {
      cleanError(error, trace);
      return error;
    },
    ended: () => budget.finish(),
  });
}

/** A status that only `validateStatus` accepted; and JSON that axios, told to be strict, may fail to parse and quote. */
function mayBecomeAnError({ status, config }: AxiosResponse): boolean {
  return (
    status >= 300 || (config.responseType === 'json' && config.transitional?.silentJSONParsing === false)
  );
}
