import type { InternalAxiosRequestConfig } from 'axios';
import { AUTHORIZATION_HEADER } from '../../catalogue/wire.js';
import type { RequestAddress } from '../../net/base-address.js';
import { parsedUrl } from '../../net/parsed-url.js';
import { REDACTED } from '../../secrets/secret.js';
import { isObject, isRecord } from '../../values/is-object.js';
import { TokenRedaction } from './token-redaction.js';

export class CallTrace {
  /** Where the last attempt went. Undefined until an adapter got an attempt. An error then shows which request failed. */
  address: RequestAddress | undefined;
  readonly #tokens: string[] = [];
  #redaction: TokenRedaction | undefined;

  constructor(
    /** The caller's config. A token never was in this config, so results may show it. */
    readonly config: InternalAxiosRequestConfig,
  ) {}

  addToken(token: string): void {
    this.#tokens.push(token);
    this.#redaction = undefined;
  }

  get hasTokens(): boolean {
    return this.#tokens.length > 0;
  }

  /** Made at the first failure. Of the successes only those of `fetch` are searched. */
  get redaction(): TokenRedaction {
    return (this.#redaction ??= new TokenRedaction(this.#tokens));
  }
}

/** The `request` of a result. The real one has the token in many places, and leads to all other requests of its agent (B12). */
export interface RequestSnapshot {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly res?: { readonly responseUrl: string; readonly statusCode: number };
}

/** Replaces a request by its snapshot, and removes the token from the real request too. */
export function cleanRequest(request: unknown, trace: CallTrace, statusCode?: number): unknown {
  if (!isObject(request)) return undefined;
  try {
    if (isSnapshot(request)) return request;
    const snapshot = snapshotOfRequest(request, trace, statusCode);
    if (trace.hasTokens) scrubRequest(request);
    return snapshot;
  } catch {
    // A frozen request of an adapter of the application, or one with a getter that throws (B28).
    return snapshotOfCall(trace, statusCode);
  }
}

const PARTS = new Set(['method', 'host', 'path', 'res']);

/** Whether a transport already gave a snapshot: a frozen object with these members only leads nowhere. */
export function isSnapshot(request: object): request is RequestSnapshot {
  return Object.isFrozen(request) && Reflect.ownKeys(request).every((part) => PARTS.has(String(part)));
}

type TracedCall = Pick<CallTrace, 'config' | 'address'>;

/** If no adapter has shown a request: the address that was resolved for the call. */
export function snapshotOfCall(
  call: TracedCall,
  statusCode?: number,
  method = methodOf(call),
): RequestSnapshot {
  const { hostname: host = '', origin = '' } = call.address?.base ?? {};
  return frozen({ method, host, path: call.address?.path ?? '', origin, statusCode });
}

const HEAD = '_header';
const OPTIONS = '_options';
/** Where follow-redirects keeps the request and the address of the last hop. */
export const CURRENT = '_currentRequest';
const CURRENT_URL = '_currentUrl';
const REDIRECTABLE = '_redirectable';

/** What is read and overwritten in the request of an adapter: of Node, or of follow-redirects. `sentHeaders` belongs to HTTP/2. */
export interface AdapterRequest {
  readonly method?: unknown;
  readonly protocol?: unknown;
  readonly host?: unknown;
  readonly path?: unknown;
  readonly url?: unknown;
  readonly socket?: unknown;
  readonly statusCode?: number;
  readonly res?: { readonly responseUrl?: unknown; readonly statusCode?: number } | null;
  readonly getHeader?: (name: string) => string | undefined;
  readonly outputData?: unknown;
  readonly sentHeaders?: unknown;
  [HEAD]?: unknown;
  readonly [OPTIONS]?: unknown;
  readonly [CURRENT]?: AdapterRequest;
  readonly [CURRENT_URL]?: unknown;
  readonly [REDIRECTABLE]?: unknown;
}

/** After redirects, the snapshot shows where the answer came from. */
export function snapshotOfRequest(request: object, call: TracedCall, statusCode?: number): RequestSnapshot {
  const visible: AdapterRequest = request;
  const method = typeof visible.method === 'string' ? visible.method : methodOf(call);
  const { host, path } = visible;
  const whole = visible.res?.responseUrl ?? visible[CURRENT_URL] ?? visible.url;
  const url = typeof whole === 'string' ? parsedUrl(whole) : undefined;
  if (url !== undefined) {
    // Without the user name and the password, which are the caller's secret.
    const { origin, hostname, pathname, search } = url;
    return frozen({ method, host: hostname, path: pathname + search, origin, statusCode });
  }
  if (typeof host !== 'string' || typeof path !== 'string') return snapshotOfCall(call, statusCode, method);
  // The usual request, with `maxRedirects: 0`, needs no URL parser.
  const origin = `${String(visible.protocol)}//${visible.getHeader?.('host') ?? host}`;
  return frozen({ method, host, path, origin, statusCode });
}

interface Parts extends Omit<RequestSnapshot, 'res'> {
  readonly origin: string;
  readonly statusCode: number | undefined;
}

function frozen({ method, host, path, origin, statusCode }: Parts): RequestSnapshot {
  if (statusCode === undefined) return Object.freeze({ method, host, path });
  const res = Object.freeze({ responseUrl: origin + path, statusCode });
  return Object.freeze({ method, host, path, res });
}

function methodOf({ config }: TracedCall): string {
  return (config.method ?? 'get').toUpperCase();
}

/** The options of a socket are those of the request that opened the socket. They never change, so once is enough. */
const scrubbedSockets = new WeakSet<object>();
const symbols = new Map<string, symbol>();

/**
 * Overwrites the `Authorization` header in a request that was sent, in all known places of Node and follow-redirects (B12),
 * which Node does not read any more. An agent of another class is not replaced by a private one: the sockets in its pool keep
 * the headers of the request that opened them, and its queue keeps a request that was given up (`test/leak/process.spec.ts`).
 */
export function scrubRequest(request: object): void {
  const sent: AdapterRequest = request;
  // Node only checks that this text exists. Cutting one line out of it would take longer than all other steps here.
  if (typeof sent[HEAD] === 'string') sent[HEAD] = REDACTED;
  if (Array.isArray(sent.outputData)) for (const chunk of sent.outputData) scrubUnsent(chunk);
  const outgoing = memberOfNode(request, 'kOutHeaders');
  if (isRecord(outgoing) && 'authorization' in outgoing)
    outgoing['authorization'] = [AUTHORIZATION_HEADER, REDACTED];
  if (isObject(sent.socket)) scrubSocket(sent.socket);
  scrubHeaders(sent.sentHeaders);
  scrubHeadersOf(sent[OPTIONS]);
  const redirectable = sent[REDIRECTABLE];
  if (isRecord(redirectable)) scrubHeadersOf(redirectable[OPTIONS]);
  const current = sent[CURRENT];
  if (isObject(current)) scrubRequest(current);
}

function scrubSocket(socket: object): void {
  if (scrubbedSockets.has(socket)) return;
  scrubHeadersOf(memberOfNode(socket, 'connect-options'));
  scrubbedSockets.add(socket);
}

/** The first chunk that was not sent begins with the headers. */
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
  for (const name of Object.keys(headers)) if (isAuthorization(name)) headers[name] = REDACTED;
}

const LOWER_CASE = AUTHORIZATION_HEADER.toLowerCase();

/** Whether a header with this name, in upper or lower case, carries the token. */
export function isAuthorization(name: string): boolean {
  // The length first, because this function runs for each header of each request.
  return name.length === LOWER_CASE.length && name.toLowerCase() === LOWER_CASE;
}

function memberOfNode(owner: object, description: string): unknown {
  let symbol = symbols.get(description);
  if (symbol === undefined || !(symbol in owner)) {
    symbol = Object.getOwnPropertySymbols(owner).find((one) => one.description === description);
    if (symbol === undefined) return undefined;
    symbols.set(description, symbol);
  }
  return Reflect.get(owner, symbol);
}
