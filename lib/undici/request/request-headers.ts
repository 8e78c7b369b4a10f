import zlib from 'node:zlib';
import type { AxiosBasicCredentials, InternalAxiosRequestConfig } from 'axios';
import { AXIOS_VERSION } from '../axios-version.js';
import { HeaderList } from './header-list.js';
import { isStreamed, type WireBody } from './wire-body.js';

const USER_AGENT = `axios/${AXIOS_VERSION}`;
const ENCODINGS = 'gzip, compress, deflate, br';
const ENCODINGS_WITH_ZSTD = 'createZstdDecompress' in zlib ? `${ENCODINGS}, zstd` : ENCODINGS;

/** What undici makes of `Connection` by itself; anything else it would drop. */
const OWN_CONNECTIONS = new Set(['', 'keep-alive', 'close']);

/**
 * The headers that axios' http adapter would send, names and values in turns; undefined where undici would send others.
 */
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
  list.putUnlessPresent('Accept-Encoding', encodings(config));
  if (!isSendable(list) || !isOwnConnection(list, host) || !hasItsLength(list, body)) return undefined;
  return list.flat();
}

/** @see RFC 9110 section 5.6.2 */
export const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;

/** What undici refuses to send. A refusal would leave one of its connections unused for ever, so it gets none to refuse. */
const REFUSED = new Set(['transfer-encoding', 'keep-alive', 'upgrade', 'expect']);

function isSendable(list: HeaderList): boolean {
  return list.keys.every((key) => TOKEN.test(key) && !REFUSED.has(key));
}

/** undici writes `Host` and `Connection` itself, and only these. */
function isOwnConnection(list: HeaderList, host: string): boolean {
  const named = list.text('host').toLowerCase() || host;
  const connection = list.text('connection').toLowerCase();
  list.remove('host');
  return named === host && OWN_CONNECTIONS.has(connection);
}

/** undici writes the length itself and refuses another; axios sends what it is told. */
function hasItsLength(list: HeaderList, body: WireBody): boolean {
  const { content, length, ownLength } = body;
  const given = list.text('content-length');
  if (given === '' || ownLength) {
    if (isStreamed(body) && length !== undefined) list.put('Content-Length', String(length));
    return true;
  }
  if (content !== null && length === undefined) return /^\d+$/.test(given);
  return given === String(length ?? 0);
}

function encodings({ transitional }: InternalAxiosRequestConfig): string {
  const asked: unknown = transitional && Reflect.get(transitional, 'advertiseZstdAcceptEncoding');
  return asked === true ? ENCODINGS_WITH_ZSTD : ENCODINGS;
}

function basic({ username, password }: AxiosBasicCredentials): string {
  return `Basic ${Buffer.from(`${username || ''}:${password || ''}`).toString('base64')}`;
}
