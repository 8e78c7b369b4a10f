import { type AxiosBasicCredentials, AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { acceptedEncodings, USER_AGENT } from '../../wire/wire-request.js';
import { HTTP_TOKEN, UNFIT_FOR_HEADER } from '../../values/http-text.js';
import type { WireBody } from './request-body.js';

/** undici writes the header `Connection` itself. It sends these values and drops any other value. */
const OWN_CONNECTIONS = new Set(['', 'keep-alive', 'close']);

/** The list of headers that axios' http adapter would send. Undefined if undici would refuse it or send other headers. */
export function requestHeaders(
  config: InternalAxiosRequestConfig,
  body: WireBody,
  host: string,
): string[] | undefined {
  // A copy: if undici cannot send the request, axios gets the config as it was.
  const headers = Object.assign(new AxiosHeaders(), config.headers).normalize(false);
  headers.set('User-Agent', USER_AGENT, false);
  if (body.type !== undefined) headers.setContentType(body.type);
  if (config.auth) headers.set('Authorization', basic(config.auth), true);
  headers.set('Accept-Encoding', acceptedEncodings(config), false);
  if (!isSendable(headers) || !takesHost(headers, host) || !settlesLength(headers, body)) return undefined;
  return flat(headers);
}

/** undici refuses these headers. A request that it refuses leaves one connection unused for ever, so axios sends it. */
const REFUSED = new Set(['transfer-encoding', 'keep-alive', 'upgrade', 'expect']);

function isSendable(headers: AxiosHeaders): boolean {
  return Object.keys(headers).every((name) => HTTP_TOKEN.test(name) && !REFUSED.has(name.toLowerCase()));
}

/** Removes `Host`, which undici writes itself. False if `Host` or `Connection` has a value that undici would not write. */
function takesHost(headers: AxiosHeaders, host: string): boolean {
  const named = textOf(headers, 'host').toLowerCase() || host;
  const connection = textOf(headers, 'connection').toLowerCase();
  headers.delete('host');
  return named === host && OWN_CONNECTIONS.has(connection);
}

/** Adds the length of a streamed body if it is known. False if the caller gave another length, which undici refuses. */
function settlesLength(headers: AxiosHeaders, body: WireBody): boolean {
  const { content, length, ownLength } = body;
  const given = textOf(headers, 'content-length');
  if (given === '' || ownLength) {
    if (length !== undefined && !Buffer.isBuffer(content)) headers.setContentLength(length);
    return true;
  }
  if (content !== null && length === undefined) return /^\d+$/.test(given);
  return given === String(length ?? 0);
}

function basic({ username, password }: AxiosBasicCredentials): string {
  return `Basic ${Buffer.from(`${username || ''}:${password || ''}`).toString('base64')}`;
}

function textOf(headers: AxiosHeaders, name: string): string {
  const value = headers.get(name);
  return typeof value === 'string' ? value : '';
}

/** axios leaves these characters out too. */
const UNSENDABLE = new RegExp(UNFIT_FOR_HEADER, 'g');
const EDGES = /^[\t ]+|[\t ]+$/g;

/** The list that undici takes: a name, its value, the next name, and so on. */
function flat(headers: AxiosHeaders): string[] {
  const list: string[] = [];
  for (const [name, value] of Object.entries<unknown>(headers.toJSON())) {
    if (!Array.isArray(value)) list.push(name, sendable(value));
    else if (name.toLowerCase() === 'cookie') list.push(name, value.map(sendable).join('; '));
    else for (const one of value) list.push(name, sendable(one));
  }
  return list;
}

/** `normalize` has trimmed the value. What is left out may leave white space at an edge. */
function sendable(value: unknown): string {
  const text = String(value);
  const clean = text.replace(UNSENDABLE, '');
  return clean === text ? text : clean.replace(EDGES, '');
}
