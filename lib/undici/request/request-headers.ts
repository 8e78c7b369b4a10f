import type { AxiosBasicCredentials, InternalAxiosRequestConfig } from 'axios';
import { acceptedEncodings, USER_AGENT } from '../../wire/wire-request.js';
import { HTTP_TOKEN } from '../../values/http-text.js';
import { isStreamed, type WireBody } from './request-body.js';

/** undici writes the header `Connection` itself. It sends these values and drops any other value. */
const OWN_CONNECTIONS = new Set(['', 'keep-alive', 'close']);

/** The list of headers that axios' http adapter would send. Undefined if undici would refuse it or send other headers. */
export function requestHeaders(
  config: InternalAxiosRequestConfig,
  body: WireBody,
  host: string,
): string[] | undefined {
  const { headers } = config;
  const list = new HeaderList();
  for (const name of Object.keys(headers)) list.put(name, headers[name]);
  list.putUnlessPresent('User-Agent', USER_AGENT);
  if (body.type !== undefined) list.put('Content-Type', body.type);
  if (config.auth) list.put('Authorization', basic(config.auth));
  list.putUnlessPresent('Accept-Encoding', acceptedEncodings(config));
  if (!isSendable(list) || !takesHost(list, host) || !settlesLength(list, body)) return undefined;
  return list.flat();
}

/** undici refuses these headers. A request that it refuses leaves one connection unused for ever, so axios sends it. */
const REFUSED = new Set(['transfer-encoding', 'keep-alive', 'upgrade', 'expect']);

function isSendable(list: HeaderList): boolean {
  return list.keys.every((key) => HTTP_TOKEN.test(key) && !REFUSED.has(key));
}

/** Removes `Host`, which undici writes itself. False if `Host` or `Connection` has a value that undici would not write. */
function takesHost(list: HeaderList, host: string): boolean {
  const named = list.text('host').toLowerCase() || host;
  const connection = list.text('connection').toLowerCase();
  list.remove('host');
  return named === host && OWN_CONNECTIONS.has(connection);
}

/** Adds the length of a streamed body if it is known. False if the caller gave another length, which undici refuses. */
function settlesLength(list: HeaderList, body: WireBody): boolean {
  const { content, length, ownLength } = body;
  const given = list.text('content-length');
  if (given === '' || ownLength) {
    if (isStreamed(body) && length !== undefined) list.put('Content-Length', String(length));
    return true;
  }
  if (content !== null && length === undefined) return /^\d+$/.test(given);
  return given === String(length ?? 0);
}

function basic({ username, password }: AxiosBasicCredentials): string {
  return `Basic ${Buffer.from(`${username || ''}:${password || ''}`).toString('base64')}`;
}

/** Characters that a header cannot contain. axios leaves them out too. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]+/g;
const EDGES = /^[\t ]+|[\t ]+$/g;
const NEEDS_CARE = /[^\t\x20-\x7e\x80-\xff]|^[\t ]|[\t ]$/;

/**
 * Request headers in the order and the case of the caller, one for each name. The last value for a name counts, at the place of
 * the first. With the value `false` or `null`, axios sends no header.
 */
class HeaderList {
  readonly #headers = new Map<string, { readonly name: string; value: unknown }>();

  get keys(): string[] {
    return [...this.#headers.keys()];
  }

  put(name: string, value: unknown): void {
    const key = name.toLowerCase();
    const header = this.#headers.get(key);
    if (header) header.value = value;
    else this.#headers.set(key, { name, value });
  }

  putUnlessPresent(name: string, value: string): void {
    if (this.#headers.get(name.toLowerCase())?.value === undefined) this.put(name, value);
  }

  text(key: string): string {
    const value = this.#headers.get(key)?.value;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  }

  remove(key: string): void {
    this.#headers.delete(key);
  }

  /** The list that undici takes: a name, its value, the next name, and so on. */
  flat(): string[] {
    const flat: string[] = [];
    for (const [key, { name, value }] of this.#headers) {
      if (value === undefined || value === null || value === false) continue;
      if (Array.isArray(value) && key === 'cookie') flat.push(name, value.map(sendable).join('; '));
      else if (Array.isArray(value)) for (const one of value) flat.push(name, sendable(one));
      else flat.push(name, sendable(value));
    }
    return flat;
  }
}

function sendable(value: unknown): string {
  const text = String(value);
  return NEEDS_CARE.test(text) ? text.replace(UNSENDABLE, '').replace(EDGES, '') : text;
}
