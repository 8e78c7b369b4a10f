import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { createClient as createHeyApiAxios } from '../../../sample/06-generated-clients/src/generated/hey-api-axios/client/index.js';
import { createClient as createHeyApiFetch } from '../../../sample/06-generated-clients/src/generated/hey-api-fetch/client/index.js';
import { GENERATED_CLIENTS, type GeneratedClient } from '../../support/http/generated-clients.js';
import { given, type RunningApp } from '../../support/http/given.js';
import { findCanaries, type Leak } from '../../support/secrets/canary-scanner.js';
import { errorOf } from '../../support/token/token-fixtures.js';

/** The server that the OpenAPI document names. */
const SERVER_OF_DOCUMENT = 'https://provider.example/v1';

const BYTES = randomBytes(70_000);

/** One byte more than what is read of the body of a `Request`, so that no client can send the stream again. */
const LONG = randomBytes(8 * 1024 * 1024 + 1);

type CreateClient = (typeof GENERATED_CLIENTS)[string];
type Sent = RunningApp['provider']['apiRequests'];

const start = (script: (provider: RunningApp['provider']) => void = () => {}): Promise<RunningApp> =>
  given().simulator({}, script).app().start();

/** A result or an error: some clients return a refused status, others throw it. */
const outcomeOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);

const dataOf = (result: unknown): unknown => (result as { data: unknown }).data;

/** Starts an application, revokes its token, and makes one call. */
async function afterRevocation(create: CreateClient, call: (client: GeneratedClient) => Promise<unknown>) {
  const { easy, provider } = await start();
  const client = create(easy);
  await client.get('1');
  provider.token.revokeAll();
  const outcome = await outcomeOf(call(client));
  return { client, provider, outcome, sent: provider.apiRequests.slice(1) };
}

/** What happened to an upload after a 401. */
function described(sent: Sent, bytes: Buffer): string {
  if (sent.some(({ body }) => body.toString() === '{}')) return SENDS_NOTHING;
  for (const { body } of sent) expect(body.equals(bytes)).toBe(true);
  return sent.map(({ status }) => status).join() === '401,200' ? 'sent again' : `sent ${times(sent.length)}`;
}

/** The body of a client that makes JSON of every object. */
const SENDS_NOTHING = 'sends `{}`';

/** The same bytes in a form. */
async function asForm(create: CreateClient): Promise<string> {
  const form = new FormData();
  form.set('file', new File([BYTES], 'invoice.pdf'));
  const { sent } = await afterRevocation(create, (client) => client.upload('1', form));
  const [first, ...others] = sent.map(({ body }) => body);
  expect(first?.includes(BYTES)).toBe(true);
  return `only in a form: ${described(sent, first ?? Buffer.alloc(0))}${others.length === 1 ? '' : '?'}`;
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** Each column of the table: what the page says, found by calls. */
const COLUMNS: Readonly<Record<string, (create: CreateClient) => Promise<string>>> = {
  async '`GET`'(create) {
    const { easy, provider } = await start();
    const client = create(easy);
    expect(dataOf(await client.list('open', 2))).toMatchObject({ path: '/payments?state=open&limit=2' });
    expect(dataOf(await client.get('1'))).toMatchObject({ interface: 'easy', path: '/payments/1' });
    expect(provider.apiRequests.map(({ status }) => status)).toEqual([200, 200]);
    expect(provider.tokenRequests).toHaveLength(1);
    return 'answered';
  },

  async '`POST` after a revoked token'(create) {
    const { provider, outcome, sent } = await afterRevocation(create, (client) =>
      client.create({ amount: 7 }),
    );
    expect(dataOf(outcome)).toMatchObject({ method: 'POST', path: '/payments' });
    expect(provider.tokenRequests).toHaveLength(2);
    for (const { headers } of sent) expect(headers['content-type']).toMatch(/^application\/json/);
    return described(sent, Buffer.from('{"amount":7}'));
  },

  async 'bytes after a revoked token'(create) {
    const file = new File([BYTES], 'invoice.pdf');
    const { provider, sent } = await afterRevocation(create, (client) => client.upload('1', file));
    expect(provider.tokenRequests).toHaveLength(2);
    const said = described(sent, BYTES);
    return said === SENDS_NOTHING ? asForm(create) : said;
  },

  async 'stream after a revoked token'(create) {
    const body = Readable.from(chunksOf(LONG));
    const { client, provider, outcome, sent } = await afterRevocation(create, (client) =>
      client.upload('1', body),
    );
    const said = described(sent, LONG);
    if (said === 'sent once') expect(statusOf(outcome)).toBe(401);
    // The token was renewed for the next call.
    expect(dataOf(await client.get('2'))).toMatchObject({ path: '/payments/2' });
    expect(provider.tokenRequests).toHaveLength(2);
    return said;
  },

  async download(create) {
    const { easy, provider } = await start();
    const half = BYTES.length / 2;
    let sendRest: (() => void) | undefined;
    provider.api.handler((_, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      response.write(BYTES.subarray(0, half));
      sendRest = () => void response.end(BYTES.subarray(half));
    });
    const { body } = await create(easy).download('1');
    const chunks: Uint8Array[] = [];
    // The server sends the second half only after the client has read the beginning of the first half.
    for await (const chunk of body) {
      if (chunks.push(chunk) === 1) sendRest?.();
    }
    expect(Buffer.concat(chunks).equals(BYTES)).toBe(true);
    return 'streamed';
  },

  async 'another server'(create) {
    const { easy, provider } = await start();
    const outcome = await errorOf(create(easy, { base: SERVER_OF_DOCUMENT }).get('1'));
    expect(outcome).toMatchObject({ code: 'OUTSIDE_BASE_URL' });
    expect(provider.apiRequests).toEqual([]);
    return 'refused';
  },

  async 'without a base path'(create) {
    const { easy, provider } = await start();
    const outcome = await outcomeOf(create(easy, { base: undefined }).get('1'));
    if (provider.apiRequests.length === 1) return 'goes to ours';
    expect(provider.apiRequests).toEqual([]);
    const { name, code } = outcome as { name: string; code?: string };
    return code === 'OUTSIDE_BASE_URL' ? 'refused' : `\`${name}\``;
  },

  async abort(create) {
    const { easy, provider } = await start(({ api }) => api.hang());
    const abort = new AbortController();
    const call = errorOf(create(easy).get('1', abort.signal));
    await expect.poll(() => provider.apiRequests).toHaveLength(1);
    abort.abort();
    return `\`${((await call) as Error).name}\``;
  },

  async 'token or secret found in'(create) {
    const leaks = await leaksOf(create);
    return leaks.length === 0 ? 'nothing' : JSON.stringify(leaks);
  },
};

/** How a call can end: what the API or the token endpoint does, and the call. The default call is a GET. */
interface Ending {
  readonly script?: (provider: RunningApp['provider']) => void;
  readonly call?: (client: GeneratedClient) => Promise<unknown>;
  readonly base?: string;
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  answered: {},
  'answered after a renewal': { script: ({ token }) => token.revokeAll() },
  'an upload': { call: (client) => client.upload('1', new File([BYTES], 'invoice.pdf')) },
  'a download': {
    script: ({ api }) => api.body(BYTES),
    async call(client) {
      const { body, result } = await client.download('1');
      for await (const chunk of body) expect(chunk.length).toBeGreaterThan(0);
      return result;
    },
  },
  'a server that repeats the token': {
    script: ({ api }) =>
      api.handler(({ headers: { authorization = '' } }, response) => {
        response.writeHead(500, `No ${authorization}`, { 'x-received': authorization }).end('{}');
      }),
  },
  'a lost connection': { script: ({ api }) => api.reset() },
  aborted: {
    script: ({ api }) => api.hang(),
    call: (client) => client.get('1', AbortSignal.timeout(50)),
  },
  'another server': { base: SERVER_OF_DOCUMENT },
  'no new token': {
    script({ token }) {
      token.revokeAll();
      token.refuse('invalid_client');
    },
  },
  'no token': {},
};

/** Ends a call in each way, and searches all results and errors for the secret and for each token. */
async function leaksOf(create: CreateClient): Promise<Leak[]> {
  const { easy, provider } = await start();
  const outcomes: Record<string, unknown> = {};
  for (const [name, { script, call, base }] of Object.entries(ENDINGS)) {
    provider.api.regular();
    script?.(provider);
    const client = base === undefined ? create(easy) : create(easy, { base });
    outcomes[name] = await outcomeOf(call ? call(client) : client.get('1'));
  }
  const { clientSecret } = provider.credentials('easy', 'sandbox');
  const tokens = provider.tokenRequests.flatMap(({ token = [] }) => token);
  expect(tokens).toHaveLength(2);
  const canaries = Object.fromEntries(tokens.map((token, index) => [`token ${index}`, token]));
  return findCanaries(outcomes, { secret: clientSecret, ...canaries });
}

/** The status of a result, of an error, or of the response in it. The client of hey-api throws the body alone. */
function statusOf(outcome: unknown): number | undefined {
  const { status, response, error } = outcome as {
    status?: number;
    response?: { status: number };
    error?: unknown;
  };
  return status ?? response?.status ?? (error === 'invalid_token' ? 401 : undefined);
}

function chunksOf(bytes: Buffer): Buffer[] {
  const count = Math.ceil(bytes.length / 65_536);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * 65_536, (index + 1) * 65_536));
}

/** The rows of the table in the page: the client, and the cell of each column. */
function rowsOfPage(): [client: string, cells: Record<string, string>][] {
  const page = readFileSync('docs/generated-clients.md', 'utf8');
  const [head = [], , ...rows] = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split(/ *\| */).slice(1, -1));
  const [, ...columns] = head;
  return rows.map(([client = '', ...cells]) => [
    client,
    Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])),
  ]);
}

describe('the table of generated clients', () => {
  const rows = rowsOfPage();

  it('B21: has a row for each client and a column for each case', () => {
    expect(rows.map(([client]) => client)).toEqual(Object.keys(GENERATED_CLIENTS));
    for (const [, cells] of rows) expect(Object.keys(cells)).toEqual(Object.keys(COLUMNS));
  });

  describe.each(rows)('%s', (client, cells) => {
    it.each(Object.entries(cells))('B21: %s: %s', async (column, cell) => {
      const create = GENERATED_CLIENTS[client];
      if (create === undefined) throw new Error(`There is no client ${client}.`);
      expect(await COLUMNS[column]?.(create)).toBe(cell);
    });
  });
});

describe.each(Object.entries(GENERATED_CLIENTS))('%s', (_, create) => {
  it('B21: a token that the application sets is sent as it is, and a 401 is not answered with a renewal', async () => {
    const { easy, provider } = await start();
    const outcome = await outcomeOf(create(easy, { token: 'my-token' }).get('1'));
    expect(statusOf(outcome)).toBe(401);
    expect(provider.apiRequests.map(({ headers }) => headers.authorization)).toEqual(['Bearer my-token']);
    expect(provider.tokenRequests).toEqual([]);
  });
});

describe.each(['hey-api, client-fetch', 'openapi-fetch'] as const)('%s', (name) => {
  const create = GENERATED_CLIENTS[name];

  it.each([
    ['a short stream', 'sent again', Readable.from(chunksOf(BYTES)), BYTES],
    ['a long file', 'sent once', new File([LONG], 'invoice.pdf'), LONG],
  ])('B21: makes a Request, so %s is %s', async (_, said, body, bytes) => {
    if (create === undefined) throw new Error(`There is no client ${name}.`);
    const { sent } = await afterRevocation(create, (client) => client.upload('1', body));
    expect(described(sent, bytes)).toBe(said);
  });
});

describe('hey-api', () => {
  it('B21: without throwOnError, our errors are values', async () => {
    const { easy } = await start();
    const byAxios = createHeyApiAxios({ axios: easy.axiosRef, baseURL: SERVER_OF_DOCUMENT });
    const byFetch = createHeyApiFetch({ fetch: easy.fetch, baseUrl: SERVER_OF_DOCUMENT });
    expect(await byAxios.get({ url: '/payments' })).toMatchObject({ code: 'OUTSIDE_BASE_URL', error: {} });
    const { error } = await byFetch.get({ url: '/payments' });
    expect(error).toMatchObject({ code: 'OUTSIDE_BASE_URL' });
  });

  it('B21: client-fetch without throwOnError gives the response of a refused status, without the token', async () => {
    const { easy, provider } = await start(ENDINGS['a server that repeats the token']?.script);
    const client = createHeyApiFetch({ fetch: easy.fetch, baseUrl: easy.baseUrl });
    const result = await client.get({ url: '/payments' });
    expect(result.response?.status).toBe(500);
    expect(findCanaries(result, { token: provider.tokenRequests[0]?.token ?? '' })).toEqual([]);
    expect(provider.tokenRequests[0]?.token).toMatch(/./);
  });

  it('B21: server-sent events arrive with the token by client-fetch, and by client-axios without ours', async () => {
    const { easy, provider } = await start(({ api }) =>
      api.body('data: {"id":1}\n\n', { headers: { 'content-type': 'text/event-stream' } }),
    );
    const byFetch = createHeyApiFetch({ fetch: easy.fetch, baseUrl: easy.baseUrl });
    const { stream } = await byFetch.sse.get({ url: '/events' });
    expect(await stream.next()).toMatchObject({ value: { id: 1 } });
    expect(provider.apiRequests).toHaveLength(1);
    const globalFetch = vi.fn<() => Promise<Response>>(() =>
      Promise.resolve(new Response('data: {"id":2}\n\n')),
    );
    vi.stubGlobal('fetch', globalFetch);
    const byAxios = createHeyApiAxios({ axios: easy.axiosRef });
    const events = await byAxios.sse.get({ url: '/events' });
    expect(await events.stream.next()).toMatchObject({ value: { id: 2 } });
    vi.unstubAllGlobals();
    expect(globalFetch).toHaveBeenCalledOnce();
    expect(provider.apiRequests).toHaveLength(1);
  });
});
