import { request as httpRequest } from 'node:http';
import { Agent } from 'node:https';
import { Socket } from 'node:net';
import { Duplex, Readable } from 'node:stream';
import { type AxiosAdapter, AxiosError, AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AdapterPlan, type AttemptSettings } from '../../../lib/http/adapter-plan.js';
import { Attempt } from '../../../lib/http/attempt.js';
import { Call } from '../../../lib/http/call.js';
import { type AdapterTraits, traitsOfTransport } from '../../../lib/http/adapter/adapter-traits.js';
import { BaseAddress, hasAddress } from '../../../lib/net/base-address.js';
import { ClientTls, type PemTexts } from '../../../lib/net/client-tls.js';
import { ownTransport } from '../../../lib/net/pollution.js';
import { ClientAuthority } from '../../support/http/client-certificates.js';
import { addToPrototype } from '../../support/http/pollutions.js';
import { privateAgent, privateAgentFor } from '../../../lib/net/private-agent.js';
import { FakeClock, settled } from '../../support/token/fake-clock.js';
import { BASE_URL } from '../../support/http/http-client.js';
import { tokenOf, Watched } from '../../support/token/token-fixtures.js';

const clock = new FakeClock();
const token = tokenOf(clock, 'canary-token-1');
const agent = new Agent();
const settings = {
  profile: { interface: 'easy', environment: 'sandbox' },
  base: new BaseAddress(BASE_URL),
  http: { proxy: undefined },
  agents: { current: agent },
} as const;
const proxy = { host: 'proxy.example', port: 3128 };

interface Given {
  readonly bare?: boolean;
  readonly http?: object;
  readonly acting?: object;
  readonly further?: Partial<AttemptSettings>;
}

/** What the adapter calls before it follows a redirect. */
function hopOf({ beforeRedirect }: InternalAxiosRequestConfig): (...given: unknown[]) => void {
  return beforeRedirect as (...given: unknown[]) => void;
}

// oxlint-disable-next-line typescript/prefer-promise-reject-errors
const rejectWithNothing: AxiosAdapter = () => Promise.reject(undefined);

/** Wraps the error of its hook. */
const redirectedToHttp: AxiosAdapter = async (config) => {
  try {
    hopOf(config)({ ...hopTo('api.example.com'), protocol: 'http:' }, {}, { headers: {} });
  } catch {
    throw new Error('wrapped');
  }
  throw new Error('not refused');
};

/** An attempt on an adapter that behaves as axios' http adapter. */
function createAttempt(
  request: object = {},
  { bare = false, http = {}, acting = {}, further = {} }: Given = {},
) {
  const seen: InternalAxiosRequestConfig[] = [];
  const adapter: AxiosAdapter = async (config) => {
    seen.push(config);
    return { data: 'ok', status: 200, statusText: '', headers: {}, config };
  };
  const traits: AdapterTraits = {
    ...traitsOfTransport({ adapter, actsAsHttp: true, close: () => Promise.resolve() }),
    managesConnections: false,
    ...acting,
  };
  const config = { baseURL: BASE_URL, url: '/x', maxRedirects: 0, headers: new AxiosHeaders(), ...request };
  const call = new Call(config, traits, clock);
  const plan = new AdapterPlan({ ...settings, http: { proxy: undefined, ...http }, ...further }, call);
  const attempt = new Attempt(call, plan);
  return {
    attempt,
    call,
    send: async () => {
      const outcome = await attempt.send(bare ? undefined : token, () => undefined);
      return { outcome, wire: seen[0] };
    },
  };
}

describe('an attempt', () => {
  it('C3: carries the token, which is redacted from then on', async () => {
    const { send, call, attempt } = createAttempt();
    expect(call.trace.hasTokens).toBe(false);
    expect(call.trace.address).toBeUndefined();
    const { wire, outcome } = await send();
    expect(wire?.headers.get('authorization')).toBe('Bearer canary-token-1');
    expect(outcome.response?.status).toBe(200);
    expect(call.trace.redaction.text('canary-token-1')).toBe('[redacted]');
    expect(call.trace.address).toMatchObject({ verdict: 'UNDER_BASE_URL', path: '/v1/x' });
    expect(attempt.testedToken).toBe(token);
  });

  it('S6: hands the address that was checked on to the adapter, and leaves none in the config of the caller', async () => {
    const { send, call } = createAttempt();
    const { wire } = await send();
    expect(settings.base.addressOf(wire!)).toBe(call.trace.address);
    expect(hasAddress(call.config)).toBe(false);
  });

  it("R25: carries no token beside the caller's own credentials", async () => {
    const { send, call, attempt } = createAttempt(
      { headers: new AxiosHeaders({ authorization: 'Basic own' }) },
      { bare: true },
    );
    const { wire } = await send();
    expect(Object.entries(wire?.headers ?? {})).toEqual([['authorization', 'Basic own']]);
    expect(call.trace.hasTokens).toBe(false);
    expect(attempt.testedToken).toBeUndefined();
  });

  it('has no Authorization header if there is no token', async () => {
    const { wire } = await createAttempt({}, { bare: true }).send();
    expect(Object.keys(wire?.headers ?? {})).toEqual([]);
  });

  it('B4: gives a form a boundary that the next attempt has too', async () => {
    const data = new FormData();
    const { send, call } = createAttempt({ data });
    const { wire } = await send();
    expect(wire?.headers.getContentType()).toBe(call.formType);
    expect(call.formType).toContain('provider-auth-');
    const plain = await createAttempt({
      data: 'text',
      headers: new AxiosHeaders({ 'content-type': 'text/x' }),
    }).send();
    expect(plain.wire?.headers.getContentType()).toBe('text/x');
  });

  it('B4: leaves the type of a form to an adapter that is not of HTTP, such as fetch', () => {
    expect(
      createAttempt({ data: new FormData() }, { acting: { kind: 'other' } }).call.formType,
    ).toBeUndefined();
  });

  it("B4: adds a boundary to the caller's type without one", async () => {
    const headers = new AxiosHeaders({ 'Content-Type': 'multipart/form-data' });
    const { wire } = await createAttempt({ data: new FormData(), headers }).send();
    expect(wire?.headers.getContentType()).toContain('boundary=provider-auth-');
  });

  it("B12: uses the client's agent if the caller names none, and no agent for a transport", async () => {
    const own = new Agent();
    expect((await createAttempt().send()).wire?.httpsAgent).toBe(privateAgentFor(agent));
    expect((await createAttempt({ httpsAgent: own }).send()).wire?.httpsAgent).toBe(privateAgentFor(own));
    const { wire } = await createAttempt({}, { acting: { managesConnections: true } }).send();
    expect(wire).not.toHaveProperty('httpsAgent');
  });

  it('uses the proxy of the settings if the caller names none', async () => {
    expect((await createAttempt({}, { http: { proxy } }).send()).wire?.proxy).toBe(proxy);
    expect((await createAttempt({ proxy: false }, { http: { proxy } }).send()).wire?.proxy).toBe(false);
    expect((await createAttempt().send()).wire).not.toHaveProperty('proxy');
  });

  it('R11: checks redirects, unless none is followed', async () => {
    expect((await createAttempt({ maxRedirects: 3 }).send()).wire?.beforeRedirect).toBeTypeOf('function');
    expect((await createAttempt({ maxRedirects: undefined }).send()).wire?.beforeRedirect).toBeTypeOf(
      'function',
    );
    expect((await createAttempt().send()).wire).not.toHaveProperty('beforeRedirect');
  });

  it('R13: tests no token if a redirect was followed without the token', async () => {
    const { attempt, send } = createAttempt(
      { maxRedirects: 3 },
      {
        acting: {
          adapter: async (config: InternalAxiosRequestConfig) => {
            hopOf(config)(hopTo('evil.example'), {}, { headers: {} });
            return { data: 'ok', status: 200, statusText: '', headers: {}, config };
          },
        },
      },
    );
    await send();
    expect(attempt.testedToken).toBeUndefined();
  });

  it('S9: ends with the refusal of a hop, also if the adapter wraps the error', async () => {
    const { outcome } = await createAttempt(
      { maxRedirects: 3 },
      { acting: { adapter: redirectedToHttp } },
    ).send();
    expect(outcome.failure?.error).toMatchObject({ code: 'INSECURE_REDIRECT' });
  });

  it('B28: ends even if the adapter rejects with nothing', async () => {
    const { outcome } = await createAttempt({}, { acting: { adapter: rejectWithNothing } }).send();
    expect(outcome).toEqual({ response: undefined, failure: { error: undefined } });
  });

  it.each([
    ['http', true],
    ['other', false],
  ] as const)(
    'B36: an adapter of the kind %s gets our transport if the prototype is polluted: %s',
    async (kind, isOurs) => {
      const removed = addToPrototype('polluted', { value: true });
      const sent = createAttempt({}, { acting: { kind } }).send();
      removed();
      expect((await sent).wire?.transport).toBe(isOurs ? ownTransport : undefined);
    },
  );

  it('treats an adapter that throws like an adapter that rejects', async () => {
    const error = new Error('thrown');
    const adapter = (): never => {
      throw error;
    };
    const { outcome } = await createAttempt({}, { acting: { adapter } }).send();
    expect(outcome).toEqual({ response: undefined, failure: { error } });
  });
});

const unchecking = new Agent({ rejectUnauthorized: false });
const checkServerIdentity = (): undefined => undefined;
class OwnAgent extends Agent {}

describe('an attempt that must not be sent', () => {
  it.each<[string, object, object, string, string]>([
    ['to another host', { url: 'https://evil.example/' }, {}, 'OUTSIDE_BASE_URL', 'evil.example'],
    ['to another path', { url: '../v2' }, {}, 'OUTSIDE_BASE_URL', '/v2'],
    [
      'with the name of another host',
      { headers: new AxiosHeaders({ Host: 'evil.example' }) },
      {},
      'OUTSIDE_BASE_URL',
      'its Host header leads to another place',
    ],
    [
      'over a socket',
      { socketPath: '/tmp/socket' },
      {},
      'OUTSIDE_BASE_URL',
      'its socketPath leads to another place',
    ],
    [
      'over an agent that leads elsewhere',
      { httpsAgent: new Agent({ host: 'evil.example' }) },
      {},
      'OUTSIDE_BASE_URL',
      'in the options of its agent, or in its http2Options, leads to another place',
    ],
    [
      'over an agent that checks no certificate',
      { httpsAgent: unchecking },
      {},
      'INSECURE_URL',
      'rejectUnauthorized',
    ],
    [
      'over the agent of the client, if that agent checks no certificate now',
      {},
      { agents: { current: unchecking } },
      'INSECURE_URL',
      'rejectUnauthorized',
    ],
    [
      'over an agent whose own function checks the name',
      { httpsAgent: new OwnAgent({ checkServerIdentity }) },
      {},
      'INSECURE_URL',
      'checkServerIdentity',
    ],
    [
      'over the agent of the client, if its own function checks the name',
      {},
      { agents: { current: new OwnAgent({ checkServerIdentity }) } },
      'INSECURE_URL',
      'checkServerIdentity',
    ],
    [
      'with a dispatcher that hides its settings',
      { fetchOptions: { dispatcher: {} } },
      {},
      'INSECURE_URL',
      'does not show its settings',
    ],
  ])('S6, S9: %s is refused before an adapter is called', (_, request, further, code, word) => {
    const create = (): unknown => createAttempt(request, { further });
    expect(create).toThrow(expect.objectContaining({ name: 'RequestRefusedError', code }) as Error);
    expect(create).toThrow(word);
  });

  it.each([
    ['an agent of the caller', { httpsAgent: unchecking }],
    ['HTTP/2', { httpVersion: 2, http2Options: { rejectUnauthorized: false } }],
    ['options for HTTP/2 alone', { http2Options: { rejectUnauthorized: false } }],
    [
      'a dispatcher',
      { fetchOptions: { dispatcher: { [Symbol('options')]: { rejectUnauthorized: false } } } },
    ],
  ])('S9: %s is checked also if a transport makes the connections', (_, request) => {
    expect(() => createAttempt(request, { acting: { managesConnections: true } })).toThrow(
      'rejectUnauthorized',
    );
  });

  it('S9: to http is refused without advice about paths', () => {
    expect(() => createAttempt({ url: 'http://api.example.com/v1/x' })).toThrow(
      expect.objectContaining({
        code: 'INSECURE_URL',
        message: expect.not.stringContaining('Pass a path that stays under the base URL'),
      }) as Error,
    );
  });

  it('S9: the process decides about a transport and about our own agent at boot, and about fetch at each request', () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const own = { agents: { current: privateAgent() } };
    expect(() => createAttempt({}, { acting: { managesConnections: true } })).not.toThrow();
    expect(() => createAttempt({}, { further: own })).not.toThrow();
    expect(() => createAttempt({}, { further: own, acting: { kind: 'fetch' } })).toThrow(
      'rejectUnauthorized',
    );
    expect(() => createAttempt()).toThrow('rejectUnauthorized');
  });
});

describe('S9: an attempt of a pair with tls', () => {
  const tls = new ClientTls({});
  const givenTls = () => {
    const applyTo = vi.fn<(wire: object) => void>();
    return { applyTo, further: { tls, tunnelled: { applyTo, close() {} } as never } };
  };

  it('S9: has the settings for a proxy on the request', async () => {
    const { applyTo, further } = givenTls();
    const { wire } = await createAttempt({}, { further }).send();
    expect(applyTo).toHaveBeenCalledExactlyOnceWith(wire);
    expect(wire).not.toHaveProperty('http2Options');
  });

  it('S9: has the settings for HTTP/2 on the request', async () => {
    const { applyTo, further } = givenTls();
    const request = { httpVersion: 2, http2Options: { settings: {} } };
    const { wire } = await createAttempt(request, { further }).send();
    expect(wire?.['http2Options' as never]).toMatchObject({
      settings: {},
      secureContext: tls.secureContext(),
    });
    expect(applyTo).not.toHaveBeenCalled();
  });

  it('S9: is needed for other settings of HTTP/2', async () => {
    const request = { httpVersion: 2, http2Options: { settings: {} } };
    const { wire } = await createAttempt(request).send();
    expect(wire?.['http2Options' as never]).toEqual({ settings: {} });
  });

  it.each<[string, object, boolean]>([
    ['without a dispatcher', {}, true],
    ['with a dispatcher of the caller', { fetchOptions: { dispatcher: { [Symbol('options')]: {} } } }, false],
    ['with a fetch of the caller', { env: { fetch: () => undefined } }, false],
  ])(
    'S9: is refused for the fetch of the process, which has no such settings: %s',
    (_, request, isRefused) => {
      const refusalFor = (kind: AdapterTraits['kind'], further: object): unknown => {
        try {
          return void createAttempt(request, { further, acting: { kind } });
        } catch (error) {
          return (error as Error).message;
        }
      };
      const message =
        "A request to easy sandbox was not sent: adapter: 'fetch' uses the connections of the whole process, without the `tls` " +
        'of this environment. Use the adapter of the module, or pass fetchOptions.dispatcher with the same certificates.';
      expect(refusalFor('fetch', { tls })).toBe(isRefused ? message : undefined);
      expect([refusalFor('fetch', {}), refusalFor('other', { tls })]).toEqual([undefined, undefined]);
    },
  );

  it.each([
    ['the caller names an agent', { httpsAgent: new Agent() }, {}],
    ['a transport connects in its own way', {}, { managesConnections: true, kind: 'other' }],
  ])('S9: has no settings if %s', async (_, request, acting) => {
    const { applyTo, further } = givenTls();
    await createAttempt(request, { further, acting }).send();
    expect(applyTo).not.toHaveBeenCalled();
  });

  it('S9: has the settings for a proxy if a transport acts as axios, or if an adapter uses our agent', async () => {
    for (const acting of [{ managesConnections: true }, { kind: 'other' }]) {
      const { applyTo, further } = givenTls();
      await createAttempt({}, { further, acting }).send();
      expect(applyTo).toHaveBeenCalledOnce();
    }
  });

  it.each([
    ['a client certificate', 'refused', {}, ['ca', 'cert', 'key']],
    ['an agent of the caller', 'followed', { httpsAgent: new Agent() }, ['ca', 'cert', 'key']],
    ['an authority only', 'followed', {}, ['ca']],
    ['no tls', 'followed', {}, []],
  ] as const)('S9: a redirect to another host with %s is %s', async (_, verdict, request, names) => {
    const authority = await ClientAuthority.create();
    const pem: PemTexts = { ca: authority.ca, ...(await authority.issue('client')) };
    const given = Object.fromEntries(names.map((name) => [name, pem[name]]));
    const further = names.length > 0 ? { tls: new ClientTls(given) } : {};
    let followed = 'refused';
    const adapter: AxiosAdapter = async (config) => {
      hopOf(config)(hopTo('evil.example'), {}, { headers: {} });
      followed = 'followed';
      return { data: 'ok', status: 200, statusText: '', headers: {}, config };
    };
    await createAttempt({ maxRedirects: 3, ...request }, { further, acting: { adapter } }).send();
    expect(followed).toBe(verdict);
  });
});

const answerOfProxy: AxiosAdapter = async (config) => ({
  data: 'from the proxy',
  status: 401,
  statusText: '',
  headers: {},
  config,
  request: { socket: new Socket() },
});

describe('S9: an answer of a proxy instead of the API', () => {
  it('S9: is an error, and renews no token', async () => {
    const { attempt, call } = createAttempt({}, { acting: { adapter: answerOfProxy } });
    const refused: unknown[] = [];
    const outcome = await attempt.send(token, (_call, one) => void refused.push(one));
    expect(outcome.response).toBeUndefined();
    expect(outcome.failure?.error).toMatchObject({
      message: expect.stringContaining('The proxy answered instead of the API, with status 401'),
    });
    expect(outcome.proxyStatus).toBe(401);
    expect(refused).toEqual([]);
    expect(call.budget.ended).toBe(false);
  });
});

describe('B12: an answer that comes after the end of its call', () => {
  it('B12: is cleaned and dropped', async () => {
    const data = new Readable({ read: () => undefined });
    let give: (() => void) | undefined;
    const adapter: AxiosAdapter = (config) =>
      new Promise((resolve) => {
        give = () => resolve({ data, status: 200, statusText: '', headers: {}, config });
      });
    const abort = new AbortController();
    const { send } = createAttempt({ signal: abort.signal }, { acting: { adapter } });
    const sent = new Watched(send());
    abort.abort();
    await settled();
    expect([sent.state, data.destroyed]).toEqual(['failed', false]);
    give?.();
    await settled();
    expect(data.destroyed).toBe(true);
  });
});

describe('B12: the dispatcher of a request', () => {
  it('B12: is withheld from the config of the caller and given to the adapter with the other options', async () => {
    const dispatcher = { [Symbol('options')]: {} };
    const { send, call } = createAttempt({ fetchOptions: { dispatcher, keepalive: true } });
    const { wire } = await send();
    expect(wire?.fetchOptions).toEqual({ dispatcher, keepalive: true });
    expect(call.config.fetchOptions).toEqual({ keepalive: true });
    expect((await createAttempt().send()).wire).not.toHaveProperty('fetchOptions');
  });
});

function hopTo(hostname: string): object {
  return { protocol: 'https:', hostname, path: '/v1/x', headers: {} };
}

/** An adapter of this kind gives the stream, or fails with it. */
async function answerWith(data: Readable, kind: AdapterTraits['kind'], fails = false): Promise<Duplex> {
  const request = new Duplex({ read: () => undefined });
  const adapter: AxiosAdapter = async (config) => {
    const response = { data, request, status: 200, statusText: '', headers: {}, config };
    if (fails) throw new AxiosError('refused', 'ERR_BAD_REQUEST', config, request, response);
    return response;
  };
  await createAttempt({}, { acting: { kind, adapter } }).send();
  return request;
}

/** Sends a body, of which the API has read all or nothing when its answer comes. The result shows whether request and body end. */
async function sendBody(data: unknown, isBodyRead: boolean, answer: unknown): Promise<() => unknown[]> {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const request = httpRequest({ agent: false, createConnection: () => socket }).on('error', () => undefined);
  const adapter: AxiosAdapter = async (config) => {
    if (isBodyRead) request.end(data instanceof Readable ? (await data.toArray()).join('') : data);
    return { data: answer, request, status: 200, statusText: '', headers: {}, config };
  };
  await createAttempt({ method: 'post', data }, { acting: { adapter } }).send();
  if (answer instanceof Readable) await answer.toArray();
  await settled();
  onTestFinished(() => void socket.destroy());
  return () => [request.destroyed, data instanceof Readable && data.destroyed];
}

const endless = (): Readable => new Readable({ read: () => undefined });

describe('the request of a streamed answer', () => {
  it.each([false, true])(
    'B4: ends if the answer ends before it was read, also in an error: %s',
    async (fails) => {
      const data = Readable.from(['not read']);
      const request = await answerWith(data, 'http', fails);
      expect(request.destroyed).toBe(false);
      data.destroy();
      await expect.poll(() => request.destroyed).toBe(true);
    },
  );

  it('is left alone if the answer was read, or if the adapter is not of HTTP', async () => {
    const [read, unread] = [Readable.from(['read']), Readable.from(['not read'])];
    const requests = [await answerWith(read, 'http'), await answerWith(unread, 'other')];
    await read.toArray();
    unread.destroy();
    await expect.poll(() => [read.closed, unread.closed]).toEqual([true, true]);
    await settled();
    expect(requests.map(({ destroyed }) => destroyed)).toEqual([false, false]);
  });

  it.each<[string, unknown, boolean, unknown, unknown[]]>([
    ['with its body, if that is not sent yet', endless(), false, 'text', [true, true]],
    ['with its body, after a stream was read', endless(), false, Readable.from(['read']), [true, true]],
    ['not, if its body was sent', Readable.from(['sent']), true, 'text', [false, true]],
    ['not, if its body is a text', 'text', true, 'text', [false, false]],
    // axios makes a stream of a form, which nothing else can end.
    ['if it is a form that is not sent yet', new FormData(), false, 'text', [true, false]],
  ])('B4: ends with its answer: %s', async (_, data, isBodyRead, answer, expected) => {
    await expect.poll(await sendBody(data, isBodyRead, answer)).toEqual(expected);
  });

  it('B4: stays open over HTTP/2 after an answer that is no stream', async () => {
    expect((await answerWith('text' as never, 'http')).destroyed).toBe(false);
  });
});
