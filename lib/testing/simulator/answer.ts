import type { OutgoingHttpHeaders } from 'node:http';
import { type ProviderTerms, refusalsOf } from '../../catalogue/catalogue.js';
import { SCHEME } from '../../catalogue/wire.js';

/** A complete answer, ready to send. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** The reason phrase, if it isn't the usual one. */
  readonly reason?: string;
  /** The headers, with names in lower case. */
  readonly headers: OutgoingHttpHeaders;
  /** The bytes, exactly as they are sent. */
  readonly body: string | Buffer;
}

/** An answer as a script describes it. */
export interface ScriptedAnswer {
  /** The HTTP status. @default 200; if `body` is a function, the status of the regular answer */
  readonly status?: number;
  /** The reason phrase of the status line. */
  readonly reason?: string;
  /** Headers to add to `Content-Type: application/json` and `Cache-Control: no-store`. `undefined` removes a header. */
  readonly headers?: OutgoingHttpHeaders;
  /** The body: objects are sent as JSON, strings and buffers unchanged. A function gets the regular answer's text. */
  readonly body?: string | Buffer | object | ((regular: string) => string | Buffer);
}

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

export function json(status: number, body: object, headers: OutgoingHttpHeaders = {}): Answer {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) };
}

/** How a definition says that its API refuses a token. */
export type RefusalTerms = Pick<ProviderTerms, 'scheme' | 'refusedWith'>;

/** The API's answer to a token that is missing, revoked, expired or for another address (RFC 6750 section 3.1). */
export function invalidToken(terms: RefusalTerms = {}): Answer {
  const { scheme = SCHEME } = terms;
  const [status = 401] = refusalsOf(terms);
  return json(status, { error: 'invalid_token' }, { 'www-authenticate': `${scheme} error="invalid_token"` });
}

/** Creates the answer that a script describes. The regular answer is created only if the script needs its text. */
export async function createScriptedAnswer(
  script: ScriptedAnswer,
  regular: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const { body = '' } = script;
  const write = typeof body === 'function' ? (body as (text: string) => string | Buffer) : undefined;
  const basis = write ? await regular() : json(200, {});
  return {
    status: script.status ?? basis.status,
    ...(script.reason !== undefined && { reason: script.reason }),
    headers: { ...basis.headers, ...lowerCased(script.headers ?? {}) },
    body: write ? write(basis.body.toString()) : bytesOf(body),
  };
}

function bytesOf(body: string | object): string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

export function lowerCased(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
