import { REDACTED } from '../secrets/secret.js';

const AUTHORIZATION_LINE = /^(authorization: ).*$/gim;
const symbols = new Map<string, symbol>();

/**
 * Takes the `Authorization` header out of a request that has been sent (B12), wherever Node and follow-redirects keep it;
 * none of it is read again once there is an answer. Nobody reaches the request through a result; but the application may
 * own the agent, whose pooled sockets keep the headers of the request that opened them for as long as they live, and
 * diagnostics may hold on to the request.
 */
export function scrubRequest(request: object): void {
  scrubText(request, '_header');
  const unsent: unknown = Reflect.get(request, 'outputData');
  if (Array.isArray(unsent)) for (const chunk of unsent) if (isRecord(chunk)) scrubText(chunk, 'data');
  const outgoing = underSymbol(request, 'kOutHeaders');
  if (isRecord(outgoing) && 'authorization' in outgoing) {
    outgoing['authorization'] = ['Authorization', REDACTED];
  }
  const socket: unknown = Reflect.get(request, 'socket');
  if (isRecord(socket)) scrubHeadersOf(underSymbol(socket, 'connect-options'));
  // Of HTTP/2, and of follow-redirects.
  scrubHeaders(Reflect.get(request, 'sentHeaders'));
  scrubHeadersOf(Reflect.get(request, '_options'));
  const current: unknown = Reflect.get(request, '_currentRequest');
  if (isRecord(current)) scrubRequest(current);
  const redirectable: unknown = Reflect.get(request, '_redirectable');
  if (isRecord(redirectable)) scrubHeadersOf(redirectable['_options']);
}

function scrubHeadersOf(options: unknown): void {
  if (isRecord(options)) scrubHeaders(options['headers']);
}

function scrubHeaders(headers: unknown): void {
  if (!isRecord(headers)) return;
  for (const name of Object.keys(headers)) {
    if (name.length === 13 && name.toLowerCase() === 'authorization') headers[name] = REDACTED;
  }
}

function scrubText(owner: object, name: string): void {
  const text: unknown = Reflect.get(owner, name);
  if (typeof text === 'string') {
    Reflect.set(owner, name, text.replace(AUTHORIZATION_LINE, `$1${REDACTED}`));
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
