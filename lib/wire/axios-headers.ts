import zlib from 'node:zlib';
import type { AxiosBasicCredentials } from 'axios';
import { AUTHORIZATION_HEADER } from '../catalogue/wire.js';
import { axiosVersion } from '../values/axios-version.js';
import { UNFIT_FOR_HEADER } from '../values/http-text.js';
import type { CallBody } from './body.js';
import type { Config } from './outgoing.js';

export const USER_AGENT = `axios/${axiosVersion()}`;
export const ENCODINGS = 'gzip, compress, deflate, br';
const ENCODINGS_WITH_ZSTD = 'createZstdDecompress' in zlib ? `${ENCODINGS}, zstd` : ENCODINGS;

/** Whether a header with this name, in upper or lower case, carries the token. */
export function isAuthorization(name: string): boolean {
  // The length first, because this function runs for each header of each request.
  return name.length === AUTHORIZATION_HEADER.length && name.toLowerCase() === 'authorization';
}

/**
 * Whether the caller has set credentials. Then the request is sent without a token. An empty value does not count: axios sends
 * no header then, and a request is never sent without credentials (S7).
 */
export function hasOwnCredentials({ auth, headers }: Config): boolean {
  if (auth) return true;
  for (const name of Object.keys(headers))
    if (isAuthorization(name) && hasSendableText(headers[name])) return true;
  return false;
}

function hasSendableText(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasSendableText);
  return Boolean(value) && /[\x21-\x7e\x80-\xff]/.test(String(value));
}

/**
 * The list of headers as axios' http adapter writes them: those of the config, the credentials, and what axios adds unless the
 * config has it.
 *
 * @param authorization the token, or the credentials of the caller's `auth` or address. They replace a header.
 */
export function headerList(config: Config, body: CallBody, authorization: string | undefined): string[] {
  const { headers, transitional } = config;
  const { content } = body;
  // A polluted prototype must name no host: Node checks the certificate for the host of this list.
  const ofBody = Object.hasOwn(body, 'headers') ? body.headers : undefined;
  const length = Buffer.isBuffer(content) ? content.length : body.length;
  const list: string[] = [];
  let hasAgent = false;
  let hasEncodings = false;
  for (const name of Object.keys(headers)) {
    const value: unknown = headers[name];
    if (value === undefined) continue;
    // The lengths first, because this runs for each header of each request.
    if (name.length === 10 && name.toLowerCase() === 'user-agent') hasAgent = true;
    else if (name.length === 15 && name.toLowerCase() === 'accept-encoding') hasEncodings = true;
    else if (isAuthorization(name) && authorization !== undefined) continue;
    // A wrong length would break the connection.
    else if (length !== undefined && name.length === 14 && name.toLowerCase() === 'content-length') continue;
    else if (ofBody && replaces(ofBody, name)) continue;
    add(list, name, value);
  }
  if (authorization !== undefined) list.push(AUTHORIZATION_HEADER, authorization);
  if (ofBody) for (const name of Object.keys(ofBody)) list.push(name, ofBody[name] as string);
  if (!hasAgent) list.push('User-Agent', USER_AGENT);
  if (length !== undefined) list.push('Content-Length', String(length));
  if (!hasEncodings) {
    const withZstd: unknown = transitional && Reflect.get(transitional, 'advertiseZstdAcceptEncoding');
    list.push('Accept-Encoding', withZstd === true ? ENCODINGS_WITH_ZSTD : ENCODINGS);
  }
  return list;
}

function replaces(ofBody: Readonly<Record<string, string>>, name: string): boolean {
  return Object.keys(ofBody).some((one) => one.toLowerCase() === name.toLowerCase());
}

/** Without a value axios leaves a header out. */
function add(list: string[], name: string, value: unknown): void {
  if (value === null || value === false) return;
  if (typeof value === 'string' && !UNFIT_FOR_HEADER.test(value)) list.push(name, value);
  else if (!Array.isArray(value)) list.push(name, sendable(value));
  else if (name.toLowerCase() === 'cookie') list.push(name, value.map(sendable).join('; '));
  else for (const one of value) list.push(name, sendable(one));
}

const UNSENDABLE = new RegExp(UNFIT_FOR_HEADER, 'g');

/** axios leaves these characters out, and what is left out may leave white space at an edge. */
function sendable(value: unknown): string {
  return String(value)
    .replace(UNSENDABLE, '')
    .replaceAll(/^[\t ]+|[\t ]+$/g, '');
}

/** The value of `Authorization` for a user name and a password. */
export function basicCredentials(auth: Partial<AxiosBasicCredentials> | undefined): string | undefined {
  if (!auth) return undefined;
  const { username, password } = auth;
  return `Basic ${Buffer.from(`${username || ''}:${password || ''}`).toString('base64')}`;
}
