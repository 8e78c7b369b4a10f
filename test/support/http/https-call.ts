import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { type Agent, request } from 'node:https';

export interface HttpsCall {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** Sent unchanged, instead of the path of the URL. */
  path?: string;
  agent: Agent;
}

export interface HttpsAnswer {
  status: number;
  reason: string;
  headers: IncomingHttpHeaders;
  text: string;
  json: Record<string, unknown>;
}

/** One request by node:https alone, without a client library. */
export async function callHttps(url: string, { body, ...call }: HttpsCall): Promise<HttpsAnswer> {
  // Node sends the body of a GET or a DELETE only with a Content-Length.
  const framing = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const sent = request(url, { ...call, headers: { ...framing, ...call.headers } });
  sent.end(body);
  const [response] = await once(sent, 'response');
  sent.on('error', () => undefined); // the response reports a broken connection too
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return {
    status: response.statusCode,
    reason: response.statusMessage,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text);
    },
  };
}
