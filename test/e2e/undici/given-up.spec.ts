import { setMaxListeners } from 'node:events';
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
  // Of which each carries a hundred calls, and loses none when a call is given up.
  ['HTTP/2', HTTP_2, 0],
])('over %s', (_, { offersH2, allowH2 }, lostConnections) => {
  it('B5: calls that were given up while they waited cost no connection (hole 7)', async () => {
    const server = await WireServer.start({ allowH2: offersH2 });
    const { client } = await transportClient({ server, allowH2, connections: CONNECTIONS });
    server.handler = () => undefined;
    const atOnce = offersH2 ? CALLS : CONNECTIONS;
    const controller = new AbortController();
    setMaxListeners(CALLS, controller.signal);
    const calls = Array.from({ length: CALLS }, (__, index) =>
      client.post(`/stalled/${index}`, { index }, { signal: controller.signal }).catch(() => 'given up'),
    );
    await vi.waitFor(() => expect(server.seen).toHaveLength(atOnce), { timeout: 20_000 });
    const begun = server.sockets;
    controller.abort();
    await Promise.all(calls);

    server.handler = (__, response) => void response.end('ok');
    const later = Array.from({ length: 2 * CONNECTIONS }, () => client.get('/later'));
    expect((await Promise.all(later)).map(({ status }) => status)).toEqual(later.map(() => 200));
    // What was under way when it was given up takes its connection with it, over HTTP/1.1.
    expect(server.sockets - begun).toBeLessThanOrEqual(lostConnections);
    const arrived = server.seen.map(({ url }) => url).filter((url) => url !== '/later');
    expect(arrived).toHaveLength(atOnce);
  });
});

it('B5: the body of a call that was given up while it waited is closed, and the connection is kept', async () => {
  const { server, client } = await transportClient({ connections: 1 });
  server.handler = (_, response) => void setTimeout(() => response.end('ok'), 200);
  const first = client.get('/first');
  const body = new Readable({ read: () => undefined });
  const waiting = client.post('/second', body, { signal: AbortSignal.timeout(50) });
  await expect(waiting).rejects.toMatchObject({ code: 'ERR_CANCELED' });
  await first;
  await vi.waitFor(() => expect(body.destroyed).toBe(true));
  await expect(client.get('/third')).resolves.toMatchObject({ data: 'ok' });
  expect(server.sockets).toBe(1);
});
