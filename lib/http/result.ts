import { AxiosError, type AxiosResponse } from 'axios';
import { causesOf } from '../values/causes-of.js';
import { isNodeStream } from '../values/objects.js';
import { safely } from '../values/safely.js';
import type { Outcome } from '../wire/outgoing.js';
import { ReceivedBody, streamOfReceived } from '../wire/received-body.js';
import type { Call } from './call.js';
import { ReflectedTokens } from './reflected.js';

/** `validateStatus` of the caller decides whether an answer is a result or an error. */
export function settled(outcome: Outcome): Outcome {
  const { response } = outcome;
  if (outcome.error !== undefined || response === undefined) return outcome;
  const { status, config } = response;
  const request: unknown = response.request;
  try {
    if (!status || !config.validateStatus || config.validateStatus(status)) return outcome;
  } catch (error) {
    // No code gets the body. Unread, it would keep its connection for ever.
    discard(outcome);
    return { error };
  }
  const code = status >= 400 && status < 500 ? AxiosError.ERR_BAD_REQUEST : AxiosError.ERR_BAD_RESPONSE;
  const message = `Request failed with status code ${status}`;
  return { response, error: new AxiosError(message, code, config, request, response) };
}

/** Drops an outcome that no caller receives. */
export function discard({ response }: Outcome): void {
  const body: unknown = response?.data;
  if (body instanceof ReceivedBody) body.cancel();
  // Of an adapter that the caller has chosen.
  else if (isNodeStream(body)) body.on('error', () => undefined).destroy();
  else if (body instanceof ReadableStream && !body.locked) body.cancel().catch(() => undefined);
}

/** Gives the caller the response, or throws the error, without a token that the API has repeated. */
export function deliver({ response, error }: Outcome, call: Call): AxiosResponse {
  if (call.fetched) call.fetched.isRedirected = call.isRedirected;
  if (response !== undefined) {
    const isFailure = error !== undefined || response.status >= 300 || quotesText(response);
    if (isFailure || call.fetched) redact(response, call, isFailure);
    if (response.data instanceof ReceivedBody) response.data = streamFor(call, response.data);
    else if (call.adapter) followReader(call, response.data);
    if (error === undefined) return response;
  }
  if (error instanceof Error) redactTexts(error, new ReflectedTokens(call.sentTokens));
  throw error;
}

/** With strict parsing, axios quotes the text of a success in its error. */
function quotesText({ config }: AxiosResponse): boolean {
  return config.responseType === 'json' && config.transitional?.silentJSONParsing === false;
}

function redact(response: AxiosResponse, { sentTokens }: Call, withBody: boolean): void {
  const reflected = new ReflectedTokens(sentTokens);
  // A mock may answer without headers.
  const headers = (response.headers ?? {}) as Record<string, unknown>;
  for (const name of Object.keys(headers)) {
    const value: unknown = headers[name];
    const cleanName = reflected.redact(name);
    const clean = reflected.redact(value);
    if (cleanName !== name) Reflect.deleteProperty(headers, name);
    if (cleanName !== name || clean !== value) headers[cleanName] = clean;
  }
  response.statusText = reflected.redact(response.statusText);
  if (withBody) response.data = reflected.redact(response.data as unknown);
}

/** Parsers quote what they have read. */
function redactTexts(error: Error, reflected: ReflectedTokens): void {
  for (const one of causesOf(error))
    for (const name of ['message', 'stack'] as const) {
      const text: unknown = safely(() => one[name], undefined);
      const clean = reflected.redact(text);
      if (clean !== text) Reflect.set(one, name, clean);
    }
}

/**
 * The caller's signal also ends a stream that an adapter of the caller has given. No code sees the end of a web stream, so that
 * signal is followed as long as it exists, as axios does.
 */
function followReader({ budget }: Call, body: unknown): void {
  const isNodes = isNodeStream(body);
  if (!isNodes && !(body instanceof ReadableStream)) return;
  budget.lastsWithStream();
  // A mock may give less than a whole stream.
  if (isNodes) safely(() => body.once('close', () => budget.finish()), undefined);
}

/** A streamed body is read after the call, so the budget of the call lasts until the end of the stream. */
function streamFor({ budget, fetched, sentTokens }: Call, body: ReceivedBody): unknown {
  budget.lastsWithStream();
  const ended = (): void => budget.finish();
  if (fetched) {
    const clean = (error: Error): Error => {
      redactTexts(error, new ReflectedTokens(sentTokens));
      return error;
    };
    body.seal({ clean, ended });
    return body;
  }
  const stream = streamOfReceived(body, ended);
  // Also after the whole body has come: the caller may abort before it reads.
  budget.cancellation.subscribe((reason) => stream.destroy(reason as Error));
  return stream;
}
