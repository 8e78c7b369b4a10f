import type { OutgoingHttpHeaders } from 'node:http';
import { type ProviderTerms, refusalsOf } from '../../catalogue/catalogue.js';
import { SCHEME } from '../../catalogue/wire.js';

/** A complete answer, ready to send. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** The reason phrase, if it isn't the usual one. */
  readonly reason?: string | undefined;
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
