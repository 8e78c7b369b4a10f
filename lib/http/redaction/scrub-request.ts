import { REDACTED } from '../../secrets/secret.js';
import { isRecord } from '../../values/is-object.js';
import { isAuthorization } from '../authorization-header.js';

/** Sockets whose options have been scrubbed: they are those of the request that opened them, and never change. */
const scrubbedSockets = new WeakSet<object>();
const symbols = new Map<string, symbol>();

/** Where Node and follow-redirects keep what they send; `sentHeaders` is of HTTP/2. */
interface SentRequest {
  [HEAD]?: unknown;
  outputData?: unknown;
  socket?: unknown;
  sentHeaders?: unknown;
  [OPTIONS]?: unknown;
  [CURRENT]?: unknown;
  [REDIRECTABLE]?: unknown;
}

const HEAD = '_header';
const OPTIONS = '_options';
const CURRENT = '_currentRequest';
const REDIRECTABLE = '_redirectable';

/**
 * Takes the `Authorization` header out of a request that has been sent (B12), wherever it is kept; none of it is read
 * again once there is an answer. Nobody reaches the request through a result; but the application may own the agent,
 * whose pooled sockets keep the headers of the request that opened them for as long as they live, and diagnostics may
 * hold on to the request.
 */
export function scrubRequest(request: object): void {
  const sent: SentRequest = request;
  // That there is a text still says that headers were sent; cutting one line out of it would cost more than the rest.
  if (typeof sent[HEAD] === 'string') sent[HEAD] = REDACTED;
  if (Array.isArray(sent.outputData)) for (const chunk of sent.outputData) scrubUnsent(chunk);
  const outgoing = underSymbol(request, 'kOutHeaders');
  if (isRecord(outgoing) && 'authorization' in outgoing) {
    outgoing['authorization'] = ['Authorization', REDACTED];
  }
  if (isRecord(sent.socket)) scrubSocket(sent.socket);
  scrubHeaders(sent.sentHeaders);
  scrubHeadersOf(sent[OPTIONS]);
  const redirectable = sent[REDIRECTABLE];
  if (isRecord(redirectable)) scrubHeadersOf(redirectable[OPTIONS]);
  const current = sent[CURRENT];
  if (isRecord(current)) scrubRequest(current);
}

function scrubSocket(socket: object): void {
  if (scrubbedSockets.has(socket)) return;
  scrubHeadersOf(underSymbol(socket, 'connect-options'));
  scrubbedSockets.add(socket);
}

/** The first chunk that has not left begins with the headers. */
function scrubUnsent(chunk: unknown): void {
  if (isRecord(chunk) && typeof chunk['data'] === 'string') {
    chunk['data'] = chunk['data'].replace(/^(authorization: ).*/gim, `$1${REDACTED}`);
  }
}

function scrubHeadersOf(options: unknown): void {
  if (isRecord(options)) scrubHeaders(options['headers']);
}

function scrubHeaders(headers: unknown): void {
  if (!isRecord(headers)) return;
  for (const name of Object.keys(headers)) {
    if (isAuthorization(name)) headers[name] = REDACTED;
  }
}

/** A property under one of Node's own symbols, which have a description and no other door. */
function underSymbol(owner: object, description: string): unknown {
  let symbol = symbols.get(description);
  if (symbol === undefined || !(symbol in owner)) {
    symbol = Object.getOwnPropertySymbols(owner).find((one) => one.description === description);
    if (symbol === undefined) return undefined;
    symbols.set(description, symbol);
  }
  return Reflect.get(owner, symbol);
}
