import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { AxiosRequestConfig } from 'axios';
import type { Scenario } from './scenario.js';
import { switchProtocols } from '../../../support/http/endless-answers.js';

/**
 * More scenarios: servers that repeat the request (R05, R06, R07), a refusal of each renewed token (R02), and
 * requests that are sent in other ways.
 */
export const REFLECTING_SCENARIOS: readonly Scenario[] = [
  reflecting('500 with the headers in JSON', 500, jsonOf),
  reflecting('500 with the headers in text', 500, textOf),
  reflecting('500 with the header percent-encoded', 500, (headers) => encodeURIComponent(textOf(headers))),
  reflecting('500 with the headers as arraybuffer', 500, jsonOf, { responseType: 'arraybuffer' }),
  reflecting('500 with the headers as blob', 500, jsonOf, { responseType: 'blob' }),
  reflecting('200 as arraybuffer', 200, () => 'short', { responseType: 'arraybuffer' }),
  reflecting('400 that validateStatus accepts', 400, jsonOf, { validateStatus: () => true }),
  reflecting('401 with the token in body, headers and reason (R05)', 401, jsonOf),
  reflecting('403 with the token in body, headers and reason', 403, textOf),
  reflecting('302 with the token in its headers', 302, textOf),
  reflecting(
    'strict JSON that quotes the token (R27)',
    200,
    (headers) => String(headers.authorization).split(' ')[1] ?? '',
    {
      responseType: 'json',
      transitional: { silentJSONParsing: false },
    },
  ),
  {
    name: '401 to each request, also with renewed tokens (R02)',
    prepare({ api }) {
      api.handler((request, response) => reflect(request, response, 401, textOf));
      return {};
    },
  },
  {
    name: '401 to an upload that cannot be sent again (R21)',
    prepare({ api }) {
      api.unauthorized();
      return { request: { method: 'POST', data: oneShot() } };
    },
  },
  {
    name: '101 that the client did not ask for',
    prepare({ api }) {
      api.handler(switchProtocols);
      return { request: { timeout: 150 } };
    },
  },
];

type Write = (headers: IncomingMessage['headers']) => string;

function reflecting(name: string, status: number, write: Write, request: AxiosRequestConfig = {}): Scenario {
  return {
    name,
    prepare({ api }) {
      api.handler((incoming, response) => reflect(incoming, response, status, write));
      return { request };
    },
  };
}

/** A server that repeats the token in the reason, in headers and in the body. */
function reflect({ headers }: IncomingMessage, response: ServerResponse, status: number, write: Write): void {
  const { authorization = '' } = headers;
  const reflected =
    status === 200 ? {} : { 'X-Received': authorization, 'WWW-Authenticate': `Bearer ${authorization}` };
  response.writeHead(status, status === 200 ? 'OK' : authorization, reflected).end(write(headers));
}

function jsonOf(headers: IncomingMessage['headers']): string {
  return JSON.stringify({ received: headers, deep: [{ deeper: { token: headers.authorization } }] });
}

function textOf({ authorization }: IncomingMessage['headers']): string {
  return `<pre>Authorization: ${authorization}</pre>`;
}

async function* chunks(): AsyncGenerator<Buffer> {
  yield Buffer.from('once ');
  yield Buffer.from('only');
}

function oneShot(): Readable {
  return Readable.from(chunks());
}
