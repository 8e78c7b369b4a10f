import * as fc from 'fast-check';
import {
  type AxiosAdapter,
  AxiosHeaders,
  type AxiosInstance,
  type InternalAxiosRequestConfig as Config,
} from 'axios';
import { describe, expect, it } from 'vitest';
import { createProviderHttpClient } from '../../lib/http/provider-http-client.js';
import { ProviderHttpService } from '../../lib/http/provider-http.service.js';
import type { OnOutcome, Outgoing, Source } from '../../lib/wire/outgoing.js';
import { BASE_URL, FakeTokens, HTTP_DEFAULTS } from '../support/http/http-client.js';
import { generalCallsOf } from '../support/http/general-calls.js';
import { pictureOf } from '../support/http/picture.js';
import { callPlans, type CallPlan, makeCall, nameIn, OPTIONS, seldom } from '../support/http/random-calls.js';
import { runs, seed } from '../support/run/runs.js';
import { withoutStacks } from '../support/run/without-stacks.js';
import { FakeClock } from '../support/token/fake-clock.js';

const RUNS = runs(2_000);
const SEED = seed();

/** Changes of `axiosRef.defaults` while the application runs. */
const DEFAULTS = {
  'common header': ({ headers }) => (headers.common['X-Common'] = 'common'),
  'post type': ({ headers }) => (headers.post['Content-Type'] = 'application/vnd.own+json'),
  'direct header': ({ headers }) => (headers['X-Direct'] = 'direct'),
  'no accept': ({ headers }) => delete headers.common['Accept'],
  'other headers': (defaults) =>
    (defaults.headers = { common: { 'X-New': '1' } } as unknown as Defaults['headers']),
  'plain header': (defaults) => Object.assign(defaults.headers, { 'X-List': ['a', 'b'], 'X-Off': false }),
  timeout: (defaults) => (defaults.timeout = 4_000),
  params: (defaults) => (defaults.params = { version: '2' }),
  method: (defaults) => (defaults.method = 'put'),
  'response type': (defaults) => (defaults.responseType = 'text'),
  'every status': (defaults) => (defaults.validateStatus = () => true),
  'no transforms': (defaults) => Object.assign(defaults, { transformRequest: [], transformResponse: [] }),
  'pushed transform': ({ transformResponse }) => [transformResponse].flat().length && push(transformResponse),
  'strict JSON': (defaults) => (defaults.transitional = { silentJSONParsing: false }),
  'order of registration': (defaults) => (defaults.transitional = { legacyInterceptorReqResOrdering: false }),
  'changed in place': ({ transitional }) => transitional && (transitional.silentJSONParsing = false),
  'no transitional': (defaults) => delete defaults.transitional,
  serializer: (defaults) => (defaults.paramsSerializer = { indexes: null }),
  'own member': (defaults) => Object.assign(defaults, { tenant: { name: 'a' }, list: [1, { a: 1 }] }),
  'changed own member': (defaults) => Object.assign(Reflect.get(defaults, 'tenant') ?? {}, { name: 'b' }),
  'undefined members': (defaults) => Object.assign(defaults, { responseType: undefined, timeout: undefined }),
  'frozen headers': ({ headers }) => Object.freeze(headers.common),
  'base URL': (defaults) => (defaults.baseURL = `${BASE_URL}/below`),
  'wrapped adapter': (defaults) => {
    const previous = defaults.adapter as AxiosAdapter;
    defaults.adapter = (config) => previous(config);
  },
  'mock adapter': (defaults) => (defaults.adapter = answering(() => undefined)),
  auth: (defaults) => (defaults.auth = { username: 'me', password: 'mine' }),
} satisfies Record<string, (defaults: Defaults) => unknown>;

type Defaults = AxiosInstance['defaults'];

function push(transforms: Defaults['transformResponse']): void {
  if (Array.isArray(transforms)) transforms.push((data: unknown): unknown => data);
}

interface Interceptor {
  run?: (config: Config, record: Note) => unknown;
  handle?: (error: unknown) => unknown;
  options?: { synchronous?: boolean; runWhen?: (config: Config) => boolean };
}

type Note = (name: string, value: unknown) => void;

const failing = (): never => {
  throw new Error('the interceptor failed');
};
const withHeader = (config: Config): Config => {
  config.headers.set('X-Intercepted', 'yes');
  return config;
};
const answering =
  (record: Note): AxiosAdapter =>
  (config) => {
    record('adapter', config);
    return Promise.resolve({ data: '{"by":"adapter"}', status: 200, statusText: '', headers: {}, config });
  };

const synchronous = { synchronous: true };

const REQUEST = {
  header: { run: withHeader, options: synchronous },
  'asynchronous header': { run: async (config) => withHeader(await Promise.resolve(config)) },
  'not marked as synchronous': { run: withHeader },
  'runs never': { run: withHeader, options: { synchronous: true, runWhen: () => false } },
  'runs for GET': { run: withHeader, options: { runWhen: ({ method }) => method === 'get' } },
  'another config': { run: (config) => ({ ...config, url: '/another' }) },
  'another config at once': { run: (config) => ({ ...config, tenant: 'b' }), options: synchronous },
  'a config without account': { run: ({ url, headers, method }) => ({ url, headers, method }) },
  'another body': { run: (config) => Object.assign(config, { data: { a: 1 } }) },
  'another method': { run: (config) => Object.assign(config, { method: 'POST', params: { p: 1 } }) },
  'plain headers': {
    run: (config) => Object.assign(config, { headers: { 'x-plain': 'yes', Accept: 'a/b' } }),
  },
  'no headers': { run: (config) => Object.assign(config, { headers: undefined }) },
  'no members': {
    run: (config) => {
      for (const name of ['transformRequest', 'transformResponse', 'adapter', 'timeout'])
        Reflect.deleteProperty(config, name);
      return config;
    },
  },
  'own transforms': { run: (config) => Object.assign(config, { transformRequest: [() => 'transformed'] }) },
  frozen: { run: (config) => Object.freeze(config) },
  'own credentials': { run: (config) => config.headers.set('Authorization', 'Basic b3duOm93bg==') && config },
  throws: { run: failing, options: synchronous },
  'throws later': { run: () => Promise.reject(new Error('failed later')) },
  'throws and handles': { run: failing, handle: () => undefined, options: synchronous },
  'throws and handles later': { run: failing, handle: async (error) => error, options: synchronous },
  'throws twice': { run: failing, handle: failing },
  'handles only': { handle: (error) => error },
  nothing: { run: () => undefined },
  'sets an adapter': {
    run: (config, record) => Object.assign(config, { adapter: answering(record) }),
  },
  'wraps the adapter': {
    run: (config) => {
      const { adapter } = config;
      const wrapped: AxiosAdapter = (sent) => (adapter as AxiosAdapter)(withHeader(sent));
      return typeof adapter === 'function' ? Object.assign(config, { adapter: wrapped }) : config;
    },
  },
  aborts: { run: (config) => Object.assign(config, { signal: AbortSignal.abort() }) },
  'own state': { run: (config) => Object.assign(config, { _state: { at: 1 }, tenant: 'c' }) },
} satisfies { [name: string]: Interceptor };

const RESPONSE = {
  'the data': { run: ({ data }: { data?: unknown }) => data },
  'added member': { run: (response: object) => Object.assign(response, { seen: true }) },
  refuses: { run: (response: object) => Promise.reject(new Error('refused', { cause: response })) },
  throws: { run: failing },
  recovers: { handle: (error: unknown) => ({ recovered: error }) },
  'another error': {
    async handle(error: unknown) {
      throw new Error('wrapped', { cause: error });
    },
  },
} satisfies { [name: string]: { run?: (response: never) => unknown; handle?: (error: unknown) => unknown } };

interface Step {
  readonly defaults: keyof typeof DEFAULTS | undefined;
  readonly request: readonly (keyof typeof REQUEST)[];
  readonly response: readonly (keyof typeof RESPONSE)[];
  readonly call: CallPlan;
  readonly account: string | undefined;
  readonly status: number;
  readonly data: string;
}

const steps: fc.Arbitrary<Step> = fc.record({
  defaults: seldom(nameIn(DEFAULTS), 3),
  request: seldom(fc.array(nameIn(REQUEST), { minLength: 1, maxLength: 3 }), 3).map((list) => list ?? []),
  response: seldom(fc.array(nameIn(RESPONSE), { minLength: 1, maxLength: 2 }), 4).map((list) => list ?? []),
  call: callPlans(Object.keys(OPTIONS) as (keyof typeof OPTIONS)[]),
  account: seldom(fc.constant('merchant-42')),
  status: fc.constantFrom(200, 201, 204, 304, 401, 404, 500),
  data: fc.constantFrom('{"id":7}', '', 'no JSON', '"text"', '{"id":'),
});

/** The calls of one client, one after the other: defaults that a step changes stay changed. */
const plans = fc.array(steps, { minLength: 1, maxLength: 3 });

/** Each form has another one. */
const BOUNDARY = /axios-[\d.]+-boundary-[\w-]{25}|-{26}[0-9a-f]{24}/g;
/** Times, stacks, and the method that axios gives to its configs in place of their prototype. */
const NOT_COMPARED = ['duration', 'hasOwnProperty', 'stack'];

interface Side {
  readonly log: string[];
  general: number;
  calls: number;
}

/** Everything that the caller, its interceptors, its adapter and the server see. */
async function sideOf(plan: readonly Step[], hasShortWay: boolean): Promise<Side> {
  const clock = new FakeClock();
  const tokens = new FakeTokens(clock);
  const side: Side = { log: [], general: 0, calls: 0 };
  // Each attempt of a call has the same answer.
  let answer: Pick<Step, 'status' | 'data'> = { status: 200, data: '' };
  const record: Note = (name, value) => {
    const picture = pictureOf(value, NOT_COMPARED).replaceAll('#<Object>', '[object Object]');
    side.log.push(`${name}\n${picture.replaceAll(BOUNDARY, 'boundary')}`);
  };
  const answerTo = async (outgoing: Outgoing, end: OnOutcome): Promise<void> => {
    const { config } = outgoing;
    record('sent', await sentOf(outgoing));
    record('config at the adapter', config);
    const headers = new AxiosHeaders();
    end({ response: { ...answer, statusText: 'as set', headers, config, request: {} } });
  };
  const source: Source = {
    check: () => undefined,
    send(outgoing, end) {
      void answerTo(outgoing, end);
    },
    close: () => Promise.resolve(),
  };
  const { axios } = createProviderHttpClient({
    profile: { interface: 'easy', environment: 'sandbox', baseUrl: BASE_URL },
    http: { ...HTTP_DEFAULTS, transport: { open: () => source }, headers: { 'X-Settings': 'yes' } },
    tokens,
    clock,
    hasShortWay,
  });
  const service = new ProviderHttpService(axios);
  const general = generalCallsOf(axios);
  for (const step of plan) {
    answer = step;
    if (step.defaults) change(axios, step.defaults);
    const removals = [...addRequest(axios, step, record), ...addResponse(axios, step, record)];
    const { axiosRef } = step.account ? service.for({ account: step.account }) : service;
    side.calls += 1;
    await makeCall(axiosRef as never, step.call).then(
      (value) => record('result', value),
      (error: unknown) => record('error', error),
    );
    for (const remove of removals) remove();
  }
  record(
    'accounts',
    tokens.identities.map((identity) => identity?.key),
  );
  side.general = generalCallsOf(axios) - general;
  return side;
}

async function sentOf({ method, url, path, headers, body }: Outgoing): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  if (body !== null)
    for await (const chunk of Buffer.isBuffer(body) ? [body] : body) chunks.push(Buffer.from(chunk));
  const lines = headers.join('\n');
  const text = Buffer.concat(chunks).toString('latin1');
  return { method, address: url.origin + path, headers: lines, body: body === null ? null : text };
}

function change({ defaults }: AxiosInstance, name: keyof typeof DEFAULTS): void {
  try {
    DEFAULTS[name](defaults);
  } catch {
    // An earlier change may have frozen what this one changes.
  }
}

function addRequest({ interceptors }: AxiosInstance, { request }: Step, record: Note): (() => void)[] {
  return request.map((name) => {
    const { run, handle, options }: Interceptor = REQUEST[name];
    const seen =
      run &&
      ((config: Config) => {
        record(`config at ${name}`, config);
        return run(config, record) as Config;
      });
    const id = interceptors.request.use(seen, handle, options);
    return () => interceptors.request.eject(id);
  });
}

function addResponse({ interceptors }: AxiosInstance, { response }: Step, record: Note): (() => void)[] {
  return response.map((name) => {
    const { run, handle }: { run?: (given: never) => unknown; handle?: (error: unknown) => unknown } =
      RESPONSE[name];
    const seen = (next: (given: never) => unknown) => (given: unknown) => {
      record(`response at ${name}`, given);
      return next(given as never) as never;
    };
    const id = interceptors.response.use(run && seen(run), handle && seen(handle));
    return () => interceptors.response.eject(id);
  });
}

describe('the short way', () => {
  it('B17: gives interceptors, adapters, servers and callers what axios gives them', async () => {
    let calls = 0;
    let general = 0;
    const same = fc.asyncProperty(plans, async (plan) => {
      const byAxios = await sideOf(plan, false);
      const short = await sideOf(plan, true);
      calls += short.calls;
      general += short.general;
      expect(short.log.join('\n\n')).toBe(byAxios.log.join('\n\n'));
    });
    const endOnFailure = Boolean(process.env['TEST_TIMES']);
    await withoutStacks(() => fc.assert(same, { numRuns: RUNS, seed: SEED, timeout: 30_000, endOnFailure }));
    // Otherwise this test would compare axios with axios.
    expect(general).toBeLessThan(calls * 0.7);
  });

  it.each([true, false])(
    'B17: shows the caller in the stack of an error, with and without it: %s',
    async (isOn) => {
      const clock = new FakeClock();
      const { axios } = createProviderHttpClient({
        profile: { interface: 'easy', environment: 'sandbox', baseUrl: BASE_URL },
        http: HTTP_DEFAULTS,
        tokens: new FakeTokens(clock),
        clock,
        hasShortWay: isOn,
      });
      async function callOfTheApplication(): Promise<unknown> {
        return await axios.get('https://elsewhere.example/').catch((error: unknown) => error);
      }
      for (const isIntercepted of [false, true]) {
        if (isIntercepted) axios.interceptors.request.use((config) => config);
        expect((await callOfTheApplication()) as Error).toMatchObject({
          code: 'OUTSIDE_BASE_URL',
          stack: expect.stringContaining(callOfTheApplication.name),
        });
      }
    },
  );
});
