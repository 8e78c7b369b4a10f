import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { type Agent, request } from 'node:https';

export interface HttpsCall {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** Sent as it stands, in place of the URL's own. */
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

/** One request by node:https alone, so that no client library stands between the test and the wire. */
export async function callHttps(url: string, { body, ...call }: HttpsCall): Promise<HttpsAnswer> {
  // Node frames the body of a GET or a DELETE only when it is told the length.
  const framing = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const sent = request(url, { ...call, headers: { ...framing, ...call.headers } });
  sent.end(body);
  const [response] = await once(sent, 'response');
  sent.on('error', () => undefined); // a connection that breaks now is told by the response too
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
