import { Agent } from 'node:https';
import type { AxiosInstance } from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { undiciTransport } from '../../../lib/undici/index.js';
import { given, type RunningApp } from '../../support/http/given.js';
import { errorOf } from '../../support/token/token-fixtures.js';

/** Each option that no transport has, with a value that asks for something, and the way that the error names. */
const OPTIONS: readonly (readonly [name: string, value: unknown, way: string])[] = [
  ['beforeRedirect', () => undefined, 'maxRedirects to 0'],
  ['transport', {}, "adapter: 'http'"],
  ['lookup', () => undefined, 'new https.Agent({ lookup })'],
  ['family', 4, 'new https.Agent({ family })'],
  ['maxRate', [1, 1], "adapter: 'http'"],
  ['httpVersion', 2, 'HTTP/1.1 only'],
  ['http2Options', {}, 'HTTP/1.1 only'],
  ['insecureHTTPParser', true, "adapter: 'http'"],
  ['fetchOptions', {}, "adapter: 'fetch'"],
  ['formDataHeaderPolicy', 'content-only', "adapter: 'http'"],
];

const ON_UNDICI: typeof OPTIONS = [
  ['httpsAgent', new Agent(), 'tls'],
  ['proxy', { host: 'proxy.example', port: 1 }, 'http.proxy'],
  ['proxy', false, 'http.proxy'],
];

/** The places where a call may get an option, and how to take it away again. */
const PLACES: readonly (readonly [string, (axios: AxiosInstance, option: object) => Promise<unknown>])[] = [
  ['of the call', (axios, option) => axios.get('/things', option)],
  [
    'of the defaults',
    (axios, option) => {
      Object.assign(axios.defaults, option);
      return axios.get('/things').finally(() => {
        for (const name of Object.keys(option)) Reflect.deleteProperty(axios.defaults, name);
      });
    },
  ],
  [
    'left by an interceptor',
    (axios, option) => {
      const { request } = axios.interceptors;
      const added = request.use((config) => Object.assign(config, option));
      return axios.get('/things').finally(() => request.eject(added));
    },
  ],
];

describe.each([
  ['node:https', {}, OPTIONS],
  ['undici', { transport: undiciTransport() }, [...OPTIONS, ...ON_UNDICI]],
])('B36: a request by %s', (_, http, options) => {
  let running: RunningApp & { readonly close: () => Promise<void> };
  beforeAll(async () => {
    running = await given().app({ http }).open();
  });
  afterAll(() => running.close());

  describe.each(PLACES)('with an option %s', (__, call) => {
    it.each(options)('is refused with the way to go: %s %j', async (name, value, way) => {
      const { easy, provider } = running;
      const sent = provider.apiRequests.length;
      const error = await errorOf(call(easy.axiosRef, { [name]: value }));
      expect(error).toMatchObject({ name: 'RequestRefusedError', code: 'OPTION_NOT_SUPPORTED' });
      expect((error as Error).message).toContain(`its option ${name} is not supported. Remove ${name}, or `);
      expect((error as Error).message).toContain(way);
      expect(provider.apiRequests).toHaveLength(sent);
    });

    it.each(options.map(([name]) => name))('is sent if the option asks for nothing: %s', async (name) => {
      const { easy } = running;
      for (const value of [undefined, null])
        expect(await call(easy.axiosRef, { [name]: value })).toMatchObject({ status: 200 });
    });
  });

  it('is sent with the values that are the defaults of axios', async () => {
    const defaults = { httpVersion: 1, formDataHeaderPolicy: 'legacy', insecureHTTPParser: false };
    expect((await running.easy.axiosRef.get('/things', defaults as object)).status).toBe(200);
  });
});
