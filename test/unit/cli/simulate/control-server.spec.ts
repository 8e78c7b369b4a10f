import { once } from 'node:events';
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ControlServer } from '../../../../lib/cli/simulate/control-server.js';
import { FAULTS } from '../../../../lib/cli/simulate/faults.js';
import type { LiveUpdates } from '../../../../lib/cli/simulate/live-updates.js';
import { SCENARIOS } from '../../../../lib/cli/simulate/scenarios.js';
import { ChainError, describeVerbs } from '../../../../lib/cli/simulate/verbs.js';
import { CONTROL_KEY as KEY } from '../../../support/application/shown-session.js';
import { freePort } from '../../../support/run/free-port.js';
import { Watched } from '../../../support/token/token-fixtures.js';

const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

const JSON_HEADERS = { ...SECURITY_HEADERS, 'content-type': 'application/json' };

const PAGE = new Map([
  ['index.html', { type: 'text/html; charset=utf-8', content: Buffer.from('<h1>page</h1>') }],
  ['page.js', { type: 'text/javascript; charset=utf-8', content: Buffer.from('run();') }],
]);

type Run = Parameters<typeof ControlServer.start>[0]['run'];

/** A control server whose parts note what they are asked. It ends with the test. */
async function givenControl(others: Partial<Parameters<typeof ControlServer.start>[0]> = {}) {
  const updates = {
    subscribe: vi.fn<(response: ServerResponse, headers: object) => void>(
      (response) => void response.end('events'),
    ),
    spec: () => 'the spec',
    state: () => ({ the: 'state' }),
    end: vi.fn<() => void>(),
  };
  const run = vi.fn<Run>();
  const load = { control: vi.fn<(order: unknown) => Promise<unknown>>() };
  const control = await ControlServer.start({
    run,
    updates: updates as unknown as LiveUpdates,
    load,
    key: KEY,
    page: PAGE,
    ...others,
  });
  onTestFinished(() => control.close());
  return { control, updates, run, load, host: new URL(control.address).host };
}

interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | readonly string[];
  readonly agent?: Agent;
}

/** A request with any headers, which `fetch` does not allow. */
async function open(url: string, { body = [], agent, ...options }: Call = {}): Promise<IncomingMessage> {
  // The path is sent unchanged.
  const { hostname, port, origin } = new URL(url);
  const sent = request({ hostname, port, path: url.slice(origin.length), agent: agent ?? false, ...options });
  for (const part of [body].flat()) sent.write(part);
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

async function ask(url: string, call?: Call) {
  const response = await open(url, call);
  const { date: _date, connection: _connection, ...headers } = response.headers;
  delete headers['transfer-encoding'];
  delete headers['content-length'];
  return { status: response.statusCode, headers, body: await text(response) };
}

const jsonOf = async (url: string, call?: Call) => {
  const { status, body } = await ask(url, call);
  return { status, body: JSON.parse(body) as unknown };
};

const post = (url: string, body: Call['body'] = '{}', headers = {}) =>
  jsonOf(url, { method: 'POST', body, headers });

describe('the addresses of the control server', () => {
  // Another program may take the port before the server does.
  it('B25: are on loopback, at a free port, below the key', { retry: 3 }, async () => {
    const port = await freePort();
    const { control } = await givenControl({ port });
    expect(control.address).toBe(`http://127.0.0.1:${port}/${KEY}`);
    expect(control.page).toBe(`http://127.0.0.1:${port}/${KEY}/`);
  });

  it('B25: have another port if the chosen one is in use', async () => {
    const first = await givenControl();
    const { control, host } = await givenControl({ port: Number(new URL(first.control.address).port) });
    expect(host).toMatch(/^127\.0\.0\.1:[1-9]\d+$/);
    expect(host).not.toBe(first.host);
    expect(await jsonOf(`${control.address}/state`)).toEqual({ status: 200, body: { the: 'state' } });
  });

  it('B25: have no page with --no-page', async () => {
    const { control } = await givenControl({ page: undefined });
    expect(control.page).toBeUndefined();
    const html = { headers: { accept: 'text/html' } };
    expect(await jsonOf(control.address, html)).toMatchObject({
      status: 200,
      body: { state: expect.any(String) },
    });
    expect((await ask(`${control.address}/index.html`, html)).status).toBe(404);
  });
});

describe('the control address', () => {
  it.each([
    ['a foreign host', { host: 'rebound.example' }],
    ['the host without its port', { host: '127.0.0.1' }],
    ['the origin of another page', { origin: 'https://foreign.example' }],
    ['an origin of a sandbox', { origin: 'null' }],
    ['an empty origin', { origin: '' }],
    ['a link on another site', { 'sec-fetch-site': 'cross-site' }],
    ['a link on another port', { 'sec-fetch-site': 'same-site' }],
  ])('B25: refuses a request with %s', async (_, headers) => {
    const { control, run } = await givenControl();
    for (const method of ['GET', 'POST'])
      expect(await ask(`${control.address}/token`, { method, headers })).toEqual({
        status: 403,
        headers: JSON_HEADERS,
        body: '{\n  "error": "Only this machine may use this address."\n}\n',
      });
    expect(run).not.toHaveBeenCalled();
  });

  it('B25: refuses a request with its own origin over https, or with the right origin and a foreign site', async () => {
    const { control, host } = await givenControl();
    for (const headers of [
      { origin: `https://${host}` },
      { origin: `http://${host}`, 'sec-fetch-site': 'cross-site' },
      { origin: 'https://foreign.example', 'sec-fetch-site': 'same-origin' },
    ])
      expect((await ask(`${control.address}/state`, { headers })).status).toBe(403);
  });

  it('B25: accepts programs, and its page under both names', async () => {
    const { control, host } = await givenControl();
    const local = host.replace('127.0.0.1', 'localhost');
    for (const headers of [
      {},
      { host: local },
      { origin: `http://${host}` },
      { host: local, origin: `http://${local}` },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
    ])
      expect((await ask(`${control.address}/state`, { headers })).status).toBe(200);
  });

  it.each(['/', '/state', `/${KEY}0`, `/${KEY.slice(1)}`, `/${KEY.replace('0', '1')}`, `/state/${KEY}`])(
    'B25: refuses a request without the key: %s',
    async (path) => {
      const { host } = await givenControl();
      expect(await jsonOf(`http://${host}${path}`)).toEqual({
        status: 404,
        body: { error: 'Use the address that the simulator printed: it contains a key.' },
      });
    },
  );
});

describe('GET of the control address', () => {
  it('B25: describes everything that a program can do', async () => {
    const { control } = await givenControl();
    const { status, headers, body } = await ask(control.address);
    expect({ status, headers }).toEqual({ status: 200, headers: JSON_HEADERS });
    const description = {
      use: 'POST one JSON object to <control>/token, <control>/api or <control>/simulator: choices, and one answer or action.',
      example: { path: '/token', body: { for: ['easy', 'sandbox'], next: 2, status: 503 } },
      load: 'POST {"scenario":"…"}, {"callers":50}, {"calls":1} or {"stop":true} to <control>/load: callers in this process',
      scenarios: SCENARIOS.map(({ name, does }) => ({ name, does })),
      session: 'GET <control>/session.spec.ts: the last calls and faults as a spec',
      state: 'GET <control>/state: the pairs, the counts and the last requests',
      events: 'GET <control>/events: the same as server-sent events',
      verbs: {
        token: describeVerbs('token'),
        api: describeVerbs('api'),
        simulator: describeVerbs('simulator'),
      },
      faults: FAULTS,
    };
    expect(body).toBe(`${JSON.stringify(description, null, 2)}\n`);
    expect((await ask(`${control.address}/`, { headers: { accept: 'application/json' } })).body).toBe(body);
  });

  it.each(['token', 'api', 'simulator'] as const)('B25: lists the verbs of %s', async (target) => {
    const { control } = await givenControl();
    for (const url of [`${control.address}/${target}`, `${control.address}//${target}/?a=b`])
      expect(await jsonOf(url)).toEqual({ status: 200, body: { verbs: describeVerbs(target) } });
  });

  it('B25: has the state, and the session as a spec', async () => {
    const { control } = await givenControl();
    expect(await ask(`${control.address}/state`)).toEqual({
      status: 200,
      headers: JSON_HEADERS,
      body: '{\n  "the": "state"\n}\n',
    });
    expect(await ask(`${control.address}/session.spec.ts`)).toEqual({
      status: 200,
      headers: { ...SECURITY_HEADERS, 'content-type': 'text/plain; charset=utf-8' },
      body: 'the spec',
    });
  });

  it('B25: gives the events to the updates, with the headers of each answer', async () => {
    const { control, updates } = await givenControl();
    expect((await ask(`${control.address}/events`)).body).toBe('events');
    expect(updates.subscribe.mock.calls).toEqual([[expect.anything(), SECURITY_HEADERS]]);
  });

  it('B25: has the page for a browser, below an address that ends with a slash', async () => {
    const { control } = await givenControl();
    const html = { headers: { accept: 'application/xhtml+xml, text/html;q=0.9' } };
    expect(await ask(control.address, html)).toEqual({
      status: 308,
      headers: { ...SECURITY_HEADERS, location: `/${KEY}/` },
      body: '',
    });
    const page = {
      status: 200,
      headers: { ...SECURITY_HEADERS, 'content-type': 'text/html; charset=utf-8' },
      body: '<h1>page</h1>',
    };
    expect(await ask(`${control.address}/`, html)).toEqual(page);
    expect(await ask(`${control.address}/index.html`)).toEqual(page);
    expect(await ask(`${control.address}/page.js`)).toEqual({
      status: 200,
      headers: { ...SECURITY_HEADERS, 'content-type': 'text/javascript; charset=utf-8' },
      body: 'run();',
    });
  });

  it.each(['page.css', 'token/x', 'to/ken', 'load', 'state/x'])('B25: has no /%s', async (place) => {
    const { control } = await givenControl();
    for (const accept of ['*/*', 'text/html'])
      expect(await jsonOf(`${control.address}/${place}`, { headers: { accept } })).toEqual({
        status: 404,
        body: { error: 'There is no such address. GET the control address to list all addresses.' },
      });
  });

  it('B25: HEAD has the same headers', async () => {
    const { control } = await givenControl();
    expect(await ask(`${control.address}/state`, { method: 'HEAD' })).toEqual({
      status: 200,
      headers: JSON_HEADERS,
      body: '',
    });
  });

  it('B25: HEAD of the events ends, and subscribes to none', async () => {
    const { control, updates } = await givenControl();
    expect(await ask(`${control.address}/events`, { method: 'HEAD' })).toEqual({
      status: 200,
      headers: { ...SECURITY_HEADERS, 'content-type': 'text/event-stream' },
      body: '',
    });
    expect(updates.subscribe).not.toHaveBeenCalled();
  });

  it.each(['PUT', 'DELETE', 'OPTIONS'])('B25: %s does nothing', async (method) => {
    const { control, run } = await givenControl();
    expect(await ask(`${control.address}/token`, { method, body: '{"hang":true}' })).toEqual({
      status: 405,
      headers: { ...JSON_HEADERS, allow: 'GET, HEAD, POST' },
      body: '{\n  "error": "Use GET or POST."\n}\n',
    });
    expect(run).not.toHaveBeenCalled();
  });
});

describe('POST to the control address', () => {
  it.each(['token', 'api', 'simulator'])('B25: runs a chain of %s, and says its result', async (target) => {
    const { control, run, load } = await givenControl();
    run.mockReturnValueOnce(3).mockReturnValueOnce(Promise.resolve('later')).mockReturnValueOnce(undefined);
    const url = `${control.address}/${target}`;
    expect(await post(url, '{"revokeAll":true}')).toEqual({ status: 200, body: { ok: true, result: 3 } });
    expect(await post(url, ['{"next"', ':2}'], { 'x-provider-simulator': 'page' })).toEqual({
      status: 200,
      body: { ok: true, result: 'later' },
    });
    expect(await post(url, '{}', { 'x-provider-simulator': 'other' })).toEqual({
      status: 200,
      body: { ok: true },
    });
    expect(run.mock.calls).toEqual([
      [target, { revokeAll: true }, 'control'],
      [target, { next: 2 }, 'page'],
      [target, {}, 'control'],
    ]);
    expect(load.control).not.toHaveBeenCalled();
  });

  it('B25: gives an order to the callers', async () => {
    const { control, run, load } = await givenControl();
    expect(await post(`${control.address}/load`, '{"callers":5}')).toEqual({
      status: 200,
      body: { ok: true },
    });
    expect(load.control.mock.calls).toEqual([[{ callers: 5 }]]);
    expect(run).not.toHaveBeenCalled();
  });

  it.each(['', 'state', 'events', 'page.js', 'token/x', 'to/ken'])(
    'B25: to /%s does nothing',
    async (place) => {
      const { control, run, load } = await givenControl();
      expect(await post(`${control.address}/${place}`)).toEqual({
        status: 404,
        body: { error: 'POST to /token, /api, /simulator, /load.' },
      });
      expect(run).not.toHaveBeenCalled();
      expect(load.control).not.toHaveBeenCalled();
    },
  );

  it('B25: says what is wrong with a chain or an order', async () => {
    const { control, run, load } = await givenControl();
    run.mockImplementation(() => {
      throw new ChainError('wrong chain');
    });
    load.control.mockRejectedValue(new ChainError('wrong order'));
    expect(await post(`${control.address}/token`)).toEqual({ status: 400, body: { error: 'wrong chain' } });
    expect(await post(`${control.address}/load`)).toEqual({ status: 400, body: { error: 'wrong order' } });
  });

  it.each([
    [new RangeError('canary'), 'RangeError'],
    ['canary', 'Error'],
  ])('B25: says of another failure only its name: %s', async (thrown, name) => {
    const { control, run } = await givenControl();
    run.mockRejectedValue(thrown);
    expect(await post(`${control.address}/api`)).toEqual({ status: 500, body: { error: name } });
  });

  it.each<[what: string, body: string | string[], chain: unknown]>([
    ['no JSON', 'next', undefined],
    ['nothing', '', undefined],
    ['64 KiB', [`"${'x'.repeat(40_000)}`, `${'x'.repeat(25_534)}"`], 'x'.repeat(65_534)],
    ['one byte more', [`"${'x'.repeat(40_000)}`, `${'x'.repeat(25_535)}"`], undefined],
    ['4 MB, which no socket holds', [`"${'x'.repeat(2_000_000)}`, `${'x'.repeat(2_000_000)}"`], undefined],
    ['JSON before 64 KiB', ['{"next":1}', ' '.repeat(70_000)], undefined],
    ['JSON after 64 KiB', [' '.repeat(70_000), '{"next":1}'], undefined],
    ['characters of several bytes', '{"body":"é…"}', { body: 'é…' }],
  ])('B25: %s as a body', async (_, body, chain) => {
    const { control, run } = await givenControl();
    expect(await post(`${control.address}/token`, body)).toEqual({ status: 200, body: { ok: true } });
    expect(run.mock.calls).toEqual([['token', chain, 'control']]);
  });
});

describe('the control server', () => {
  it('B25: answers a request with an invalid address', async () => {
    const { host } = await givenControl();
    expect(await jsonOf(`http://${host}//`)).toEqual({ status: 500, body: { error: 'TypeError' } });
  });

  it('B25: breaks an answer off that fails after its head', async () => {
    const { control, updates } = await givenControl();
    updates.subscribe.mockImplementation((response) => {
      response.writeHead(200).write('first');
      throw new Error('while it writes');
    });
    const response = await open(`${control.address}/events`);
    await expect(text(response)).rejects.toThrow('aborted');
  });

  it('B25: ends at once if nothing is under way, although a client keeps its connection', async () => {
    const { control, updates, host } = await givenControl();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    await ask(`${control.address}/state`, { agent });
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await control.close();
    expect(updates.end).toHaveBeenCalledOnce();
    await expect(ask(`http://${host}/`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('B25: gives a running answer half a second', async () => {
    const { control, updates } = await givenControl();
    updates.subscribe.mockImplementation((response) => void response.writeHead(200).write('first'));
    const response = await open(`${control.address}/events`);
    const received = new Watched(text(response));
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const closed = new Watched(control.close());
    await vi.advanceTimersByTimeAsync(499);
    expect([received.state, closed.state]).toEqual(['waiting', 'waiting']);
    await vi.advanceTimersByTimeAsync(1);
    await expect.poll(() => [received.state, closed.state]).toEqual(['failed', 'given']);
  });
});
