import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type { BaseAddress } from '../../net/base-address.js';
import { ReceivedBody } from '../../wire/received-body.js';
import { UNFIT_FOR_HEADER, HTTP_TOKEN } from '../../values/http-text.js';
import { isObject } from '../../values/is-object.js';
interface RequestSnapshot {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly res?: { readonly responseUrl: string; readonly statusCode: number };
}
import { discardStream } from './body-stream.js';
import { type Content, getResponseClass } from './response-class.js';

const WITHOUT_BODY = new Set([204, 205, 304]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

export function createResponse(
  answer: AxiosResponse<unknown>,
  config: InternalAxiosRequestConfig,
  base: BaseAddress,
  redirected: boolean,
): Response {
  const { status } = answer;
  const statusText = answer.statusText ?? '';
  const hasNoBody = config.method === 'head' || WITHOUT_BODY.has(status);
  const body = hasNoBody ? withoutBody(answer) : bodyOf(answer.data);
  const init = {
    status,
    statusText: UNFIT_FOR_HEADER.test(statusText) ? '' : statusText,
    headers: headersOf(answer, body !== null && isJsonOfMock(answer.data)),
  };
  const Own = getResponseClass();
  try {
    return new Own(body, init, { url: urlOf(answer, config, base), redirected });
  } catch (cause) {
    // No `Response` can have this status. Unread, the body would keep its connection for ever.
    discardStream(answer.data);
    throw new TypeError('fetch failed', { cause });
  }
}

/** The end of such an answer is read ahead, which frees the connection. Only a 205 can have a body, against the rules. */
function withoutBody({ status, data, headers }: AxiosResponse<unknown>): null {
  if (status === 205 && headers?.['content-length'] !== '0') discardStream(data);
  return null;
}

function bodyOf(data: unknown): ReceivedBody | Content {
  return isJsonOfMock(data) ? JSON.stringify(data) : ((data ?? null) as ReceivedBody | Content);
}

/** An adapter of a mock library may answer with text, with bytes, or with the object that the JSON would be. */
function isJsonOfMock(data: unknown): boolean {
  const tag = Object.prototype.toString.call(data).slice('[object '.length, -1);
  return !(data instanceof ReceivedBody || ArrayBuffer.isView(data) || SENDABLE.has(tag));
}

const SENDABLE = new Set(
  'Undefined Null String ReadableStream Blob File ArrayBuffer FormData URLSearchParams'.split(' '),
);

type Pair = [name: string, value: string];

/** Without headers that `Headers` refuses: a redacted name is no name of a header, and a mock may invent anything. */
function headersOf({ headers }: AxiosResponse<unknown>, isJson: boolean): Pair[] {
  const pairs: Pair[] = [];
  const received: Readonly<Record<string, unknown>> = headers ?? {};
  for (const name of Object.keys(received)) {
    const value = received[name];
    if (value === undefined || value === null || !HTTP_TOKEN.test(name)) continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      const text = String(one);
      if (!UNFIT_FOR_HEADER.test(text)) pairs.push([name, text]);
    }
  }
  const hasType = pairs.some(([name]) => name.toLowerCase() === 'content-type');
  if (isJson && !hasType) pairs.push(['content-type', 'application/json']);
  return pairs;
}

/** The address of the last hop. The adapter of a mock library shows no request: then the address that was resolved. */
function urlOf(
  { request }: AxiosResponse<unknown>,
  config: InternalAxiosRequestConfig,
  base: BaseAddress,
): string {
  const { res }: Partial<RequestSnapshot> = isObject(request) ? request : {};
  return res?.responseUrl ?? base.origin + base.resolve(config).path;
}
