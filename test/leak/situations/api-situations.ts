import type { AxiosRequestConfig } from 'axios';
import { fetchTrusting } from '../../support/http/fetch-adapter.js';
import type { Prepared, Situation } from './situation.js';
import type { World } from './world.js';

const SHORT = 150;
const FOLLOWED = { maxRedirects: 5 };
const NOT_FOLLOWED = { maxRedirects: 0 };
const STREAM = { responseType: 'stream' } as const;

/**
 * The 41 situations in which axios may show the token of an API request. Without `maxRedirects` they are run as the
 * client would by default; those about redirects and those that differ without follow-redirects say which they mean.
 */
export const API_SITUATIONS: readonly Situation[] = [
  situation('ok 200', ({ api }) => api.body({ paid: true })),
  situation('ok post json', ({ api }) => api.status(201), { method: 'POST', data: { amount: 1 } }),
  situation('ok https', ({ api }) => api.body('plain text'), NOT_FOLLOWED),
  situation('status 401', ({ api }) => api.unauthorized()),
  situation('401 resolved (validateStatus)', ({ api }) => api.unauthorized(), { validateStatus: () => true }),
  situation('status 500', ({ api }) => api.status(500)),
  situation('timeout', ({ api }) => api.hang(), { timeout: SHORT }),
  situation('timeout with maxRedirects 0', ({ api }) => api.hang(), { timeout: SHORT, ...NOT_FOLLOWED }),
  elsewhere('ECONNREFUSED', ({ deadUrl }) => deadUrl),
  elsewhere('ECONNREFUSED with maxRedirects 0', ({ deadUrl }) => deadUrl, NOT_FOLLOWED),
  elsewhere('ENOTFOUND', ({ unknownUrl }) => unknownUrl),
  elsewhere('TLS self-signed', ({ strangersUrl }) => strangersUrl),
  elsewhere('TLS to a plain port', ({ plainUrl }) => plainUrl),
  situation('reset', ({ api }) => api.reset()),
  situation('half body', ({ api }) => api.hangUp('mid-body')),
  situation('bad gzip', ({ api }) => api.body('not gzip', { headers: { 'content-encoding': 'gzip' } })),
  situation('bad HTTP (HPE)', ({ api }) =>
    api.handler(({ socket, headers }) => void socket.end(`HTTP/1.1 200 ${headers.authorization}\r\n\0bad`)),
  ),
  situation('too many redirects', ({ api }) => api.redirect('again'), FOLLOWED),
  situation('redirect followed', ({ api }) => api.path('/payments').redirect('payments/1'), FOLLOWED),
  situation('redirect with maxRedirects 0', ({ api }) => api.redirect('again'), NOT_FOLLOWED),
  situation('redirect to an unsupported protocol', ({ api }) => api.redirect('ftp://127.0.0.1/'), FOLLOWED),
  situation('redirect to a dead port', ({ api, deadUrl }) => api.redirect(deadUrl), FOLLOWED),
  situation('maxContentLength', ({ api }) => api.body('x'.repeat(1000)), { maxContentLength: 10 }),
  situation('maxBodyLength', nothing, { method: 'PUT', data: 'x'.repeat(1000), maxBodyLength: 10 }),
  situation('abort before', nothing, () => ({ signal: AbortSignal.abort() })),
  situation('abort in mid-flight', nothing, abortedOnArrival),
  situation('strict JSON', ({ api }) => api.body('{"broken'), {
    responseType: 'json',
    transitional: { silentJSONParsing: false },
  }),
  situation('transformResponse throws', nothing, { transformResponse: [broken] }),
  situation('unsupported protocol', nothing, { url: 'ftp://127.0.0.1/payments' }),
  situation('malformed protocol', nothing, { url: 'https:/127.0.0.1/payments' }),
  situation('stream 200', nothing, STREAM),
  situation('stream 200 over maxContentLength', ({ api }) => api.body('x'.repeat(1000)), {
    ...STREAM,
    maxContentLength: 10,
  }),
  situation('stream 500', ({ api }) => api.status(500, { body: 'streamed' }), STREAM),
  situation('HttpService 500', ({ api }) => api.status(500, { body: { wrong: 'all' } }), {
    method: 'DELETE',
  }),
  { name: 'HttpService unsubscribed', prepare: turnedAway },
  fetched('ok', nothing),
  fetched('500', ({ api }) => api.status(500)),
  fetched('refused', nothing, { baseUrl: 'https://127.0.0.1:1/v1' }),
  fetched('timeout', ({ api }) => api.hang(), { request: { timeout: SHORT } }),
  fetched('stream', nothing, { request: STREAM }),
  {
    name: 'proxy with 500',
    prepare({ api, proxy }) {
      api.status(500);
      return { http: { proxy } };
    },
  },
];

/** The API does something, and the call is made so. */
function situation(
  name: string,
  script: (world: World) => unknown,
  request: AxiosRequestConfig | ((world: World) => AxiosRequestConfig) = {},
): Situation {
  return {
    name,
    prepare(world) {
      script(world);
      return { request: typeof request === 'function' ? request(world) : request };
    },
  };
}

/** The API cannot be reached. */
function elsewhere(name: string, url: (world: World) => string, request: AxiosRequestConfig = {}): Situation {
  return { name, prepare: (world) => ({ baseUrl: url(world), request }) };
}

/** By axios' fetch adapter. */
function fetched(name: string, script: (world: World) => unknown, prepared: Prepared = {}): Situation {
  return {
    name: `fetch adapter: ${name}`,
    prepare(world) {
      script(world);
      return { ...prepared, request: { ...fetchTrusting(world.provider.ca), ...prepared.request } };
    },
  };
}

function abortedOnArrival({ api }: World): AxiosRequestConfig {
  const controller = new AbortController();
  api.handler(() => controller.abort());
  return { signal: controller.signal };
}

function turnedAway({ api }: World): Prepared {
  const held = api.hold();
  return { unsubscribe: held.arrived, afterwards: () => held.release() };
}

function nothing(): void {
  // The API answers as ever.
}

function broken(): never {
  throw new Error("The caller's own mistake.");
}
