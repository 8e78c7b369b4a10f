import type { ServerHttp2Stream } from 'node:http2';
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { transportClient } from '../../support/http/transport-client.js';
import { WireServer } from '../../support/http/wire-server.js';

const CALLS = 300;
const CONNECTIONS = 4;

const HTTP_1 = { offersH2: false, allowH2: false };
const HTTP_1_BY_NEGOTIATION = { offersH2: false, allowH2: true };
const HTTP_2 = { offersH2: true, allowH2: true };

describe.each([
  ['HTTP/1.1', HTTP_1, CONNECTIONS],
  ['HTTP/1.1 where HTTP/2 was allowed', HTTP_1_BY_NEGOTIATION, CONNECTIONS],
  // Each connection carries a hundred calls, and stays open if a call is cancelled.
  ['HTTP/2', HTTP_2, 0],
])('over %s', (_, { offersH2, allowH2 }, lostConnections) => {
  it('B5: calls that are cancelled while they wait cost no connection', async () => {
    const server = await WireServer.start({ allowH2: offersH2 });
    const { client } = await transportClient({ server, allowH2, connections: CONNECTIONS });
    server.handler = () => undefined;
    const atOnce = offersH2 ? CALLS : CONNECTIONS;
    const controller = new AbortController();
    const calls = Array.from({ length: CALLS }, (__, index) =>
      client.post(`/stalled/${index}`, { index }, { signal: controller.signal }).catch(() => 'cancelled'),
    );
    await vi.waitFor(() => expect(server.seen).toHaveLength(atOnce), { timeout: 20_000 });
    const begun = server.sockets;
    controller.abort();
    await Promise.all(calls);

    server.handler = (__, response) => void response.end('ok');
    const later = Array.from({ length: 2 * CONNECTIONS }, () => client.get('/later'));
    expect((await Promise.all(later)).map(({ status }) => status)).toEqual(later.map(() => 200));
    // Over HTTP/1.1, a request that is cancelled after it was sent closes its connection.
    expect(server.sockets - begun).toBeLessThanOrEqual(lostConnections);
    const arrived = server.seen.map(({ url }) => url).filter((url) => url !== '/later');
    expect(arrived).toHaveLength(atOnce);
  });
});

const onClose = vi.fn<() => void>();

it.each<[string, () => unknown]>([
  ['a Node stream', () => new Readable({ read: () => undefined }).once('close', onClose)],
  ['a web stream', () => new ReadableStream({ cancel: onClose })],
])(
  'B5: %s of a call that is cancelled while it waits is closed, and the connection stays open',
  async (_, body) => {
    onClose.mockReset();
    const { server, client } = await transportClient({ connections: 1 });
    server.handler = (__, response) => void setTimeout(() => response.end('ok'), 200);
    const first = client.get('/first');
    const waiting = client.post('/second', body(), { signal: AbortSignal.timeout(50) });
    await expect(waiting).rejects.toMatchObject({ code: 'ERR_CANCELED' });
    await first;
    await expect.poll(() => onClose).toHaveBeenCalledOnce();
    await expect(client.get('/third')).resolves.toMatchObject({ data: 'ok' });
    expect(server.sockets).toBe(1);
  },
);

it('B13: a stream that the server closes without an answer ends its own call only, over HTTP/2', async () => {
  const { server, client, connection } = await transportClient({ allowH2: true });
  server.handler = ({ url }, response) => {
    if (url === '/closed')
      setTimeout(() => (Reflect.get(response, 'stream') as ServerHttp2Stream).close(), 20);
    else if (url !== '/silent') setTimeout(() => response.end('ok'), 60);
  };
  await client.get('/first');
  const silent = new AbortController();
  const calls = [
    client.get('/closed'),
    client.get('/slow'),
    client.get('/silent', { signal: silent.signal }),
  ].map((call) => call.then(({ data }: { data: unknown }) => data).catch((error: unknown) => error));
  const [closed, slow, unanswered] = calls;
  expect(await closed).toMatchObject({ isAxiosError: true });
  expect(await slow).toBe('ok');
  await expect(client.get('/later')).resolves.toMatchObject({ data: 'ok' });
  silent.abort();
  expect(await unanswered).toMatchObject({ code: 'ERR_CANCELED' });
  // An exception in undici is not an error of these calls: it would end the process, and the run of the tests reports it.
  await connection.close();
  expect(server.sockets).toBe(1);
});
