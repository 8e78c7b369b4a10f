import type { OutgoingHttpHeaders } from 'node:http';

/** A whole answer, ready to be sent. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** The reason phrase, if not the usual one. */
  readonly reason?: string;
  /** Names in lower case. */
  readonly headers: OutgoingHttpHeaders;
  /** The very bytes. */
  readonly body: string | Buffer;
}

/** An answer as a script words it. */
export interface ScriptedAnswer {
  /** The HTTP status. @default 200, or the regular one where `body` is a function */
  readonly status?: number;
  /** The reason phrase of the status line. */
  readonly reason?: string;
  /** On top of `Content-Type: application/json` and `Cache-Control: no-store`; `undefined` takes one of these away. */
  readonly headers?: OutgoingHttpHeaders;
  /** Objects travel as JSON, strings and buffers as they are; a function is given the text of the regular answer. */
  readonly body?: string | Buffer | object | ((regular: string) => string | Buffer);
}

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

export function json(status: number, body: object, headers: OutgoingHttpHeaders = {}): Answer {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) };
}

/** The API's refusal of a token that is missing, revoked, expired or another's (RFC 6750 section 3.1). */
export const INVALID_TOKEN: Answer = json(
  401,
  { error: 'invalid_token' },
  { 'www-authenticate': 'Bearer error="invalid_token"' },
);

/** Turns the script's words into an answer; the regular one is made only when the script builds upon it. */
export async function worded(
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
