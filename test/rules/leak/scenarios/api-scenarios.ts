import type { AxiosRequestConfig } from 'axios';
import { byName } from '../../../support/http/connect-proxy.js';
import type { Prepared, Scenario } from './scenario.js';
import type { TestEnvironment } from './test-environment.js';

const SHORT = 150;
const FOLLOWED = { maxRedirects: 5 };
const NOT_FOLLOWED = { maxRedirects: 0 };
const STREAM = { responseType: 'stream' } as const;

/**
 * The scenarios in which axios may show the token of an API request. A scenario without `maxRedirects` uses the
 * default of the client. Scenarios about redirects, and those that differ without follow-redirects, set `maxRedirects`.
 */
export const API_SCENARIOS: readonly Scenario[] = [
  scenario('ok 200', ({ api }) => api.body({ paid: true })),
  scenario('ok post json', ({ api }) => api.status(201), { method: 'POST', data: { amount: 1 } }),
  scenario('ok https', ({ api }) => api.body('plain text'), NOT_FOLLOWED),
  scenario('status 401', ({ api }) => api.unauthorized()),
  scenario('401 resolved (validateStatus)', ({ api }) => api.unauthorized(), { validateStatus: () => true }),
  scenario('status 500', ({ api }) => api.status(500)),
  scenario('timeout', ({ api }) => api.hang(), { timeout: SHORT }),
  scenario('timeout with maxRedirects 0', ({ api }) => api.hang(), { timeout: SHORT, ...NOT_FOLLOWED }),
  unreachable('ECONNREFUSED', ({ deadUrl }) => deadUrl),
  unreachable('ECONNREFUSED with maxRedirects 0', ({ deadUrl }) => deadUrl, NOT_FOLLOWED),
  unreachable('ENOTFOUND', ({ unknownUrl }) => unknownUrl),
  unreachable('TLS self-signed', ({ untrustedUrl }) => untrustedUrl),
  unreachable('TLS to a plain port', ({ plainUrl }) => plainUrl),
  scenario('reset', ({ api }) => api.reset()),
  scenario('half body', ({ api }) => api.hangUp('mid-body')),
  scenario('bad gzip', ({ api }) => api.body('not gzip', { headers: { 'content-encoding': 'gzip' } })),
  scenario('bad HTTP (HPE)', ({ api }) =>
    api.handler(({ socket, headers }) => void socket.end(`HTTP/1.1 200 ${headers.authorization}\r\n\0bad`)),
  ),
  scenario('too many redirects', ({ api }) => api.redirect('again'), FOLLOWED),
  scenario('redirect followed', ({ api }) => api.path('/payments').redirect('payments/1'), FOLLOWED),
  scenario('redirect with maxRedirects 0', ({ api }) => api.redirect('again'), NOT_FOLLOWED),
  scenario('redirect to an unsupported protocol', ({ api }) => api.redirect('ftp://127.0.0.1/'), FOLLOWED),
  scenario('redirect to a dead port', ({ api, deadUrl }) => api.redirect(deadUrl), FOLLOWED),
  scenario('maxContentLength', ({ api }) => api.body('x'.repeat(1000)), { maxContentLength: 10 }),
  scenario('maxBodyLength', regularResponse, { method: 'PUT', data: 'x'.repeat(1000), maxBodyLength: 10 }),
  scenario('abort before', regularResponse, () => ({ signal: AbortSignal.abort() })),
  scenario('abort in mid-flight', regularResponse, abortOnArrival),
  scenario('strict JSON', ({ api }) => api.body('{"broken'), {
    responseType: 'json',
    transitional: { silentJSONParsing: false },
  }),
  scenario('transformResponse throws', regularResponse, { transformResponse: [broken] }),
  scenario('unsupported protocol', regularResponse, { url: 'ftp://127.0.0.1/payments' }),
  scenario('malformed protocol', regularResponse, { url: 'https:/127.0.0.1/payments' }),
  scenario('stream 200', regularResponse, STREAM),
  scenario('stream 200 over maxContentLength', ({ api }) => api.body('x'.repeat(1000)), {
    ...STREAM,
    maxContentLength: 10,
  }),
  scenario('stream 500', ({ api }) => api.status(500, { body: 'streamed' }), STREAM),
  scenario('HttpService 500', ({ api }) => api.status(500, { body: { wrong: 'all' } }), {
    method: 'DELETE',
  }),
  { name: 'HttpService unsubscribed', prepare: unsubscribedEarly },
  {
    name: 'proxy with 500',
    prepare({ api, proxy, baseUrl, provider }) {
      api.status(500);
      const tokenUrl = byName(provider.tokenUrl('easy', 'sandbox'));
      return { http: { proxy }, baseUrl: byName(baseUrl), tokenUrl };
    },
  },
];

/** The script prepares the API, and the call uses this request. */
function scenario(
  name: string,
  script: (testEnvironment: TestEnvironment) => unknown,
  request: AxiosRequestConfig | ((testEnvironment: TestEnvironment) => AxiosRequestConfig) = {},
): Scenario {
  return {
    name,
    prepare(testEnvironment) {
      script(testEnvironment);
      return { request: typeof request === 'function' ? request(testEnvironment) : request };
    },
  };
}

/** The API cannot be reached. */
function unreachable(
  name: string,
  url: (testEnvironment: TestEnvironment) => string,
  request: AxiosRequestConfig = {},
): Scenario {
  return { name, prepare: (testEnvironment) => ({ baseUrl: url(testEnvironment), request }) };
}

function abortOnArrival({ api }: TestEnvironment): AxiosRequestConfig {
  const controller = new AbortController();
  api.handler(() => controller.abort());
  return { signal: controller.signal };
}

function unsubscribedEarly({ api }: TestEnvironment): Prepared {
  const held = api.hold();
  return { unsubscribe: held.arrived, afterwards: () => held.release() };
}

function regularResponse(): void {
  // Without a script, the simulator sends its regular response.
}

function broken(): never {
  throw new Error('A mistake of the caller.');
}
