import type { AxiosAdapter, AxiosInstance, AxiosRequestConfig } from 'axios';
import { lastValueFrom } from 'rxjs';
import { beforeEach, expect, it } from 'vitest';
import type { EasyHttpService } from '../../../lib/index.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { generalCallsOf } from '../../support/http/general-calls.js';
import { given } from '../../support/http/given.js';

type Call = (axios: AxiosInstance, easy: EasyHttpService) => Promise<unknown>;

/** Ordinary calls, whose configs come from a template (B16). */
const ORDINARY: Readonly<Record<string, Call>> = {
  'a GET': (axios) => axios.get('/things'),
  'a HEAD': (axios) => axios.head('/things'),
  'a DELETE': (axios) => axios.delete('/things/1'),
  'an OPTIONS': (axios) => axios.options('/things'),
  'the instance itself': (axios) => axios({ url: '/things', method: 'POST', data: { a: 1 } }),
  'the instance with a path': (axios) => axios('/things', { params: { a: 1 } }),
  'a request without a method': (axios) => axios.request({ url: '/things' }),
  'params with lists and objects': (axios) => axios.get('/things', { params: { a: [1, 2], b: { c: 3 } } }),
  'params as URLSearchParams': (axios) => axios.get('/things', { params: new URLSearchParams('a=1') }),
  'headers of the caller': (axios) =>
    axios.get('/things', { headers: { 'X-Own': 'one', accept: 'text/plain' } }),
  'a JSON body': (axios) => axios.post('/things', { a: [1, { b: 2 }] }),
  'a text body': (axios) => axios.put('/things', 'text', { headers: { 'Content-Type': 'text/plain' } }),
  'bytes as a body': (axios) => axios.patch('/things', Buffer.from([0, 255])),
  'a form': (axios) => axios.post('/things', new URLSearchParams({ a: 'ä' })),
  'no body': (axios) => axios.post('/things'),
  'response types': (axios) => axios.get('/things', { responseType: 'arraybuffer' }),
  limits: (axios) =>
    axios.get('/things', { timeout: 20_000, maxContentLength: 1e6, validateStatus: () => true }),
  'a signal': (axios) => axios.get('/things', { signal: new AbortController().signal }),
  'a cancel token': async (axios) => {
    const { token } = (await import('axios')).default.CancelToken.source();
    return axios.get('/things', { cancelToken: token });
  },
  'a member that is undefined': (axios) => axios.get('/things', { params: undefined } as AxiosRequestConfig),
  'an Observable': (_, easy) => lastValueFrom(easy.get('/things')),
  'an Observable with a body': (_, easy) => lastValueFrom(easy.post('/things', { a: 1 })),
};

async function callHere(axios: AxiosInstance): Promise<unknown> {
  return await axios.get('/things');
}

let easy: EasyHttpService;
let provider: ProviderSimulator;
let axios: AxiosInstance;

beforeEach(async () => {
  ({ easy, provider } = await given().app().start());
  axios = easy.axiosRef;
  provider.api.body({ ok: true });
});

it.each(Object.entries(ORDINARY))('B16: the short way is taken by %s', async (_, call) => {
  await call(axios, easy);
  expect(generalCallsOf(axios)).toBe(0);
  expect(provider.apiRequests.map(({ claims }) => typeof claims)).toEqual(['object']);
});

it('B16: the short way is taken by a call that is refused, and by its second attempt', async () => {
  await axios.get('/things');
  provider.api.next().unauthorized();
  expect((await axios.post('/things', { a: 1 })).status).toBe(200);
  expect(generalCallsOf(axios)).toBe(0);
  expect(provider.apiRequests.slice(1).map(({ body }) => body.toString())).toEqual(['{"a":1}', '{"a":1}']);
});

it('B16 C2: the next call notices each change of the defaults', async () => {
  const seen = (): unknown => provider.apiRequests.at(-1)?.headers['x-tenant'];
  await axios.get('/things');
  axios.defaults.headers.common['X-Tenant'] = 'one';
  await axios.get('/things');
  expect(seen()).toBe('one');
  axios.defaults.headers.get['X-Tenant'] = 'two';
  await axios.get('/things');
  expect(seen()).toBe('two');
  delete axios.defaults.headers.get['X-Tenant'];
  axios.defaults.headers.common = {};
  await axios.get('/things');
  expect(seen()).toBeUndefined();
  expect(generalCallsOf(axios)).toBe(0);
  axios.defaults.params = { a: 1 };
  await axios.get('/things');
  expect(provider.apiRequests.at(-1)?.path).toContain('?a=1');
  delete axios.defaults.params;
  await axios.get('/things');
  expect(generalCallsOf(axios)).toBe(1);
});

it.each([true, false])('B16 C2: interceptors run around it (synchronous: %s)', async (synchronous) => {
  const order: string[] = [];
  const add = (name: string): void => {
    axios.interceptors.request.use(
      (config) => {
        order.push(name);
        config.headers.set(name, 'set');
        return config;
      },
      null,
      { synchronous },
    );
  };
  add('x-first');
  add('x-second');
  axios.interceptors.response.use((response) => {
    order.push(`${response.status}`);
    return { ...response, data: 'changed' };
  });
  expect((await axios.get('/things', { params: { a: 1 } })).data).toBe('changed');
  expect(order).toEqual(['x-second', 'x-first', '200']);
  expect(provider.apiRequests.at(-1)?.headers).toMatchObject({ 'x-first': 'set', 'x-second': 'set' });
  expect(generalCallsOf(axios)).toBe(0);
});

it('B16 S7: has one Authorization, if a getter of its params adds another one after the check', async () => {
  // A call that waits for a token is checked again.
  await axios.get('/things');
  axios.interceptors.request.use(
    (config) => {
      const get = (): number => {
        config.headers.set('Authorization', 'Basic b3duOm93bg==');
        return 1;
      };
      return Object.assign(config, {
        params: Object.defineProperty({}, 'limit', { get, enumerable: true }),
      });
    },
    null,
    { synchronous: true },
  );
  await axios.get('/things');
  expect(provider.apiRequests.at(-1)?.headers.authorization).toMatch(/^Bearer ./);
});

it.each([{}, { adapter: 'http' }, { maxRedirects: 1 }])(
  'B16 S7: has the token, also if an interceptor throws and handles its error: %j',
  async (options) => {
    axios.interceptors.request.use(
      () => {
        throw new Error('the interceptor failed');
      },
      () => undefined,
      { synchronous: true },
    );
    await axios.get('/things', options);
    expect(provider.apiRequests).toHaveLength(1);
    expect(provider.apiRequests[0]?.headers.authorization).toMatch(/^Bearer ./);
  },
);

it.each([1, 2, 3, 4, 5])(
  'B16 S7: never goes to another adapter without a token, if an interceptor changes its config %i turns later',
  async (turns) => {
    const authorizations: unknown[] = [];
    const adapter: AxiosAdapter = async (config) => {
      authorizations.push(config.headers.get('Authorization'));
      return { data: '', status: 200, statusText: '', headers: {}, config };
    };
    axios.interceptors.request.use((config) => {
      const kept = { ...config };
      const change = (left: number): void =>
        queueMicrotask(() => (left === 1 ? void Object.assign(kept, { adapter }) : change(left - 1)));
      change(turns);
      return kept;
    });
    await axios.get('/things');
    // If the change comes in time, the application has chosen the adapter (C3).
    expect(authorizations.length + provider.apiRequests.length).toBe(1);
    for (const one of authorizations) expect(one).toMatch(/^Bearer ./);
  },
);

it('B16 B29: an error shows where its call was made', async () => {
  provider.api.next().status(500);
  const error: unknown = await callHere(axios).catch((reason: unknown) => reason);
  expect((error as Error).stack).toContain('callHere');
});
