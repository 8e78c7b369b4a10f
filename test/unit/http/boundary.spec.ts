import { Agent } from 'node:https';
import { PassThrough, Readable, Writable } from 'node:stream';
import type { AxiosAdapter, InternalAxiosRequestConfig } from 'axios';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../../lib/wire/call-budget.js';
import { createProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { BASE_URL, FakeTokens, HTTP_DEFAULTS } from '../../support/http/http-client.js';

/** The mark that an adapter leaves on each object that it gets. */
const LEFT = Symbol('left by the adapter');

type Own = <Made extends object>(made: Made) => Made;
type Maker = (own: Own) => unknown;

/** An address that is an object instead of a text. */
class Address {
  toString(): string {
    return '/payments/1';
  }
}

async function* chunks(): AsyncGenerator<Buffer> {
  yield Buffer.alloc(100_000);
  await new Promise(() => undefined);
}

/** Each member of a config that can be an object, in every shape that callers use. `own` marks the caller's objects. */
const MEMBERS: Record<string, readonly Maker[]> = {
  url: [() => '/payments', (own) => own(new URL(`${BASE_URL}/payments?a=b`)), (own) => own(new Address())],
  params: [
    (own) => own({ page: 1, deep: own({ list: own([1, own({ two: 2 })]) }) }),
    (own) => own(new URLSearchParams('a=b')),
  ],
  paramsSerializer: [(own) => own({ serialize: own(() => 'a=b'), encode: own(String) })],
  data: [
    () => 'text',
    () => Buffer.from('bytes'),
    (own) => own({ amount: own([1]) }),
    (own) => own(new URLSearchParams('a=b')),
    (own) => own(Readable.from(chunks())),
    (own) => {
      const stream = own(new PassThrough());
      stream.write(Buffer.alloc(100_000));
      return stream;
    },
    (own) => own(Readable.toWeb(Readable.from(chunks()))),
    (own) => own(chunks()),
  ],
  httpsAgent: [(own) => own(new Agent({ keepAlive: true, maxSockets: 3 }))],
  httpAgent: [(own) => own(new Agent())],
  signal: [(own) => own(new AbortController().signal)],
  cancelToken: [(own) => own(new Cancellation())],
  validateStatus: [(own) => own(() => true)],
  transformResponse: [(own) => own([own((data: unknown) => data)])],
  onUploadProgress: [(own) => own(() => undefined)],
  onDownloadProgress: [(own) => own(() => undefined)],
  beforeRedirect: [(own) => own(() => undefined)],
  lookup: [(own) => own(() => undefined), (own) => own(() => Promise.resolve(['127.0.0.1', 4]))],
  proxy: [(own) => own({ host: 'proxy.example', port: 1, auth: own({ username: 'me', password: 'mine' }) })],
  transitional: [(own) => own({ clarifyTimeoutError: true })],
  transport: [(own) => own({ request: own(() => undefined) })],
  http2Options: [(own) => own({ settings: own({ enablePush: false }) })],
  fetchOptions: [(own) => own({ cache: 'no-store', next: own({ tags: own(['a']) }) })],
  maxRate: [(own) => own([1_000, 2_000])],
  maxRedirects: [() => 0, () => 3],
  env: [(own) => own({ FormData })],
  metadata: [
    (own) => {
      const circle = own({ list: own([own({})]), call: own(() => undefined), circle: {} });
      circle.circle = circle;
      return circle;
    },
  ],
};

const members = fc
  .record(
    Object.fromEntries(
      Object.entries(MEMBERS).map(([name, makers]) => [name, fc.constantFrom(...makers, undefined)] as const),
    ),
  )
  .map((made) => Object.entries(made).flatMap(([name, make]) => (make ? [[name, make] as const] : [])));

/** All objects and functions that code reaches from a value by own members, without a call of a getter. */
function reachOf(root: unknown): Set<object> {
  const reached = new Set<object>();
  const open = [root];
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if ((typeof next !== 'object' && typeof next !== 'function') || next === null || reached.has(next))
      continue;
    // All code shares classes and the functions of axios.
    if (ArrayBuffer.isView(next) || BUILT_IN.has(next) || Object.hasOwn(next, 'prototype')) continue;
    reached.add(next);
    for (const key of Reflect.ownKeys(next)) {
      open.push((Reflect.getOwnPropertyDescriptor(next, key) as { value?: unknown }).value ?? null);
    }
    if (next instanceof Map) for (const [key, value] of next) open.push(key ?? null, value ?? null);
    if (next instanceof Set) for (const value of next) open.push(value ?? null);
  }
  return reached;
}

/** From these objects code reaches every object of the process. */
const BUILT_IN = new Set<unknown>([
  globalThis,
  process,
  ...Reflect.ownKeys(globalThis).map((name) => Reflect.get(globalThis, name) as unknown),
  ...[Agent, Readable, Writable, PassThrough].flatMap((one) => [one, one.prototype as unknown]),
]);

// Node has one empty queue for all streams, from Node 24 on.
const ofAnyStream = reachOf(new ReadableStream());
for (const one of reachOf(new ReadableStream())) if (ofAnyStream.has(one)) BUILT_IN.add(one);

/** Does what adapters may do with a request: writes on all objects that it got, listens, pipes, calls hooks. */
function meddle(wire: InternalAxiosRequestConfig): void {
  const request = Object.assign(new Writable({ write: () => undefined }), { [LEFT]: wire });
  const listener = Object.assign(() => undefined, { [LEFT]: request });
  const { data, validateStatus, cancelToken, signal } = wire as { data?: unknown } & typeof wire;
  if (data instanceof Readable) data.on('error', listener).pipe(request);
  else if (data instanceof ReadableStream) data.getReader().read().then(listener, listener);
  validateStatus?.(200);
  cancelToken?.subscribe(listener);
  signal?.addEventListener?.('abort', listener);
  for (const given of reachOf(wire)) if (Object.isExtensible(given)) Reflect.set(given, LEFT, request);
}

interface Client {
  readonly actsAsHttp?: boolean;
  readonly isForeign?: boolean;
}

/** One call with a config that an interceptor has filled. Looks at both sides during the call and after its end. */
async function crossings(
  made: readonly (readonly [name: string, make: Maker])[],
  { actsAsHttp = false, isForeign = false }: Client,
) {
  const callersObjects = new Set<object>();
  const own: Own = (made) => {
    callersObjects.add(made);
    return made;
  };
  const crossed: string[] = [];
  const look = (when: string, shown: unknown): void => {
    for (const object of [...callersObjects, shown]) {
      const reached = reachOf(object);
      if ([...reached].some((one) => Object.hasOwn(one, LEFT)))
        crossed.push(`${when}: ours from ${nameOf(object)}`);
    }
    for (const one of reachOf(wires))
      if (callersObjects.has(one)) crossed.push(`${when}: the caller's object from ours, ${nameOf(one)}`);
  };
  const wires: InternalAxiosRequestConfig[] = [];
  const adapter: AxiosAdapter = async (wire) => {
    wires.push(wire);
    const { adapter: _, ...rest } = wire;
    meddle(isForeign ? (rest as typeof wire) : wire);
    await Promise.resolve();
    look('under way', configs);
    return { data: '', status: wires.length === 1 ? 401 : 200, statusText: '', headers: {}, config: wire };
  };
  const clock = new FakeClock();
  const client = createProviderHttpClient({
    profile: { interface: 'easy', environment: 'sandbox', baseUrl: BASE_URL },
    http: {
      ...HTTP_DEFAULTS,
      transport: { open: () => ({ adapter, actsAsHttp, close: () => Promise.resolve() }) },
    },
    tokens: new FakeTokens(clock),
    clock,
  });
  const configs: object[] = [];
  client.axios.interceptors.request.use((given) => {
    for (const [name, make] of made) Reflect.set(given, name, make(own));
    Object.assign(given.headers, { 'X-List': own(['a']), 'X-Object': own(new Address()) });
    Reflect.set(given, Symbol.for('of a plugin'), own({ state: own([1]) }));
    configs.push(given);
    return isForeign ? Object.assign(given, { adapter }) : given;
  });
  const shown = await client.axios.request({ transformRequest: (data: unknown) => data }).then(
    (answer) => answer as unknown,
    (error: unknown) => error,
  );
  if (wires.length === 0) throw new Error('Nothing was sent.', { cause: shown });
  look('ended', [shown, configs]);
  return crossed;
}

function nameOf(one: unknown): string {
  return typeof one === 'function' ? 'a function' : Object.prototype.toString.call(one);
}

describe.each<[string, Client]>([
  ["axios' http adapter and what acts as it", { actsAsHttp: true }],
  ['another transport', {}],
  ['an adapter of the application', { isForeign: true }],
])('the boundary to %s', (_, client) => {
  it('B28 B12: no object crosses, with any members of a config', async () => {
    await fc.assert(
      fc.asyncProperty(members, async (made) => {
        expect(await crossings(made, client)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it.each(
    Object.entries(MEMBERS).flatMap(([name, makers]) =>
      makers.map((make, index) => [name, index, make] as const),
    ),
  )('B28 B12: no object crosses by %s alone, in shape %i', async (name, _index, make) => {
    expect(await crossings([[name, make]], client)).toEqual([]);
  });
});
