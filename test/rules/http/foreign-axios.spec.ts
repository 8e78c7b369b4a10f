import axios, { Axios, type AxiosError, type AxiosInstance, type AxiosResponse, create } from 'axios';
import { afterEach, expect, it } from 'vitest';
import { generalCallsOf } from '../../support/http/general-calls.js';
import { type RunningApp, given } from '../../support/http/given.js';

/** The calls whose results must not depend on the version of axios. */
const CALLS: Readonly<Record<string, (client: AxiosInstance) => Promise<AxiosResponse>>> = {
  'a GET': (client) => client.get('/things', { params: { a: [1] } }),
  'a POST': (client) => client.post('/things', { a: 1 }, { headers: { 'X-Own': 'one' } }),
  'the instance': (client) => client({ url: '/things', method: 'PUT', data: 'text' }),
  'a refused call': (client) => client.get('/refused'),
};

const AXIOS = {
  VERSION: Reflect.get(axios, 'VERSION') as unknown,
  methods: { ...methodsOf(Axios.prototype) },
};

function methodsOf(prototype: object): Record<string, unknown> {
  return Object.fromEntries(['request', 'get', 'post'].map((name) => [name, Reflect.get(prototype, name)]));
}

afterEach(() => {
  Reflect.set(axios, 'VERSION', AXIOS.VERSION);
  Object.assign(Axios.prototype, AXIOS.methods);
});

function start(): Promise<RunningApp> {
  return given()
    .simulator({}, ({ api }) => {
      api.body({ ok: true });
      api.path('/refused').status(404);
    })
    .app()
    .start();
}

/** What the server got, and what the caller got. */
async function outcomeOf({ easy, provider }: RunningApp, call: keyof typeof CALLS): Promise<unknown> {
  const before = provider.apiRequests.length;
  const result = await CALLS[call]?.(easy.axiosRef).catch((error: unknown) => error);
  const { message, code, response = result } = result as Partial<AxiosError>;
  const { status, statusText, data, headers, config, request } = response as AxiosResponse;
  const { host, ...sent } = provider.apiRequests[before]?.headers ?? {};
  return {
    sent: { ...sent, authorization: sent.authorization?.slice(0, 7), host: typeof host },
    result: { message, code, status, statusText, data },
    names: [result as object, headers, config].map((shown) => Object.keys(shown).toSorted()),
    config: { ...config, baseURL: undefined, adapter: undefined, httpsAgent: undefined },
    request: { ...(request as object), res: undefined, host: undefined },
  };
}

it.each(['1.17.0', '1.22.0', '2.0.0'])(
  'B36: with axios %s, with which the short way was never compared, axios makes every call, with the same results',
  async (version) => {
    const compared = await start();
    // A client is made when it is first used.
    const { axiosRef } = compared.easy;
    Reflect.set(axios, 'VERSION', version);
    const other = await start();
    for (const call of Object.keys(CALLS))
      expect(await outcomeOf(other, call)).toEqual(await outcomeOf(compared, call));
    const count = Object.keys(CALLS).length;
    expect(generalCallsOf(axiosRef)).toBe(0);
    expect(generalCallsOf(other.easy.axiosRef)).toBe(count);
  },
);

/** Replaces a method, as tools for tracing do. Returns the arguments of its calls. */
function replace(owner: object, name: string): unknown[][] {
  const calls: unknown[][] = [];
  const original = Reflect.get(owner, name) as (...given: unknown[]) => unknown;
  Reflect.set(owner, name, function traced(this: unknown, ...given: unknown[]) {
    calls.push(given);
    return Reflect.apply(original, this, given);
  });
  return calls;
}

/** An instance of axios itself, without a network. */
function plainClient(): AxiosInstance {
  return create({
    adapter: async (config) => ({ data: '', status: 200, statusText: '', headers: {}, config }),
  });
}

const called: Readonly<Record<string, (client: AxiosInstance) => Promise<unknown>>> = {
  get: (client) => client.get('/things'),
  post: (client) => client.post('/things', {}),
  request: (client) => client.request({ url: '/things' }),
  itself: (client) => client('/things'),
};

/** How often a replaced method is called, for a call of each kind. */
async function counts(client: AxiosInstance, calls: unknown[][]): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (const [name, call] of Object.entries(called)) {
    calls.length = 0;
    await call(client);
    counted[name] = calls.length;
  }
  return counted;
}

it.each([
  ['Axios.prototype', 'request'],
  ['Axios.prototype', 'get'],
  ['Axios.prototype', 'post'],
  ['the instance', 'request'],
  ['the instance', 'get'],
])(
  'B36 C2: calls reach %s.%s as with plain axios, if it was replaced after the boot',
  async (where, name) => {
    const plain = plainClient();
    const ours = (await start()).easy.axiosRef;
    await ours.get('/things');
    const isOfAll = where === 'Axios.prototype';
    const calls = isOfAll ? replace(Axios.prototype, name) : undefined;
    const ofPlain = await counts(plain, calls ?? replace(plain, name));
    expect(await counts(ours, calls ?? replace(ours, name))).toEqual(ofPlain);
    expect(Object.values(ofPlain).some((count) => count > 0)).toBe(!isOfAll || name === 'request');
  },
);

it.each(['request', 'get', 'post'])(
  'B36 C2: calls reach Axios.prototype.%s as with plain axios, if it was replaced before the boot',
  async (name) => {
    const calls = replace(Axios.prototype, name);
    const { easy } = await start();
    // The token request is a call of axios, too.
    await easy.axiosRef.get('/things');
    const ofPlain = await counts(plainClient(), calls);
    expect(await counts(easy.axiosRef, calls)).toEqual(ofPlain);
    expect(ofPlain[name]).toBe(1);
  },
);
