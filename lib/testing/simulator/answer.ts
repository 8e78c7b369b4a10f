import type { OutgoingHttpHeaders } from 'node:http';

/** A whole answer, ready to be sent. */
export interface Answer {
  readonly status: number;
  readonly reason?: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Buffer;
}

/** An answer as a script words it. */
export interface ScriptedAnswer {
  /** @default 200 */
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

/** Turns the script's words into an answer; the regular one is only made when the script asks for it. */
export async function worded(
  script: ScriptedAnswer,
  regular: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const { status = 200, reason, body = '' } = script;
  return {
    status,
    ...(reason !== undefined && { reason }),
    headers: { ...JSON_HEADERS, ...script.headers },
    body: await bytesOf(body, regular),
  };
}

async function bytesOf(
  body: NonNullable<ScriptedAnswer['body']>,
  regular: () => Answer | Promise<Answer>,
): Promise<string | Buffer> {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body;
  if (typeof body !== 'function') return JSON.stringify(body);
  const write = body as (text: string) => string | Buffer; // `object` includes functions of any kind
  return write((await regular()).body.toString());
}
