import { Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { transportClient } from '../../support/http/transport-client.js';

const CALLS = 300;
const CONNECTIONS = 4;

it('B5: calls that are cancelled while they wait cost no connection', async () => {
  const { server, client } = await transportClient({ connections: CONNECTIONS });
  server.handler = () => undefined;
  const controller = new AbortController();
  const calls = Array.from({ length: CALLS }, (__, index) =>
    client.post(`/stalled/${index}`, { index }, { signal: controller.signal }).catch(() => 'cancelled'),
  );
  await vi.waitFor(() => expect(server.seen).toHaveLength(CONNECTIONS), { timeout: 20_000 });
  const begun = server.sockets;
  controller.abort();
  await Promise.all(calls);

  server.handler = (__, response) => void response.end('ok');
  const later = Array.from({ length: 2 * CONNECTIONS }, () => client.get('/later'));
  expect((await Promise.all(later)).map(({ status }) => status)).toEqual(later.map(() => 200));
  // A request that is cancelled after it was sent closes its connection.
  expect(server.sockets - begun).toBeLessThanOrEqual(CONNECTIONS);
  const arrived = server.seen.map(({ url }) => url).filter((url) => url !== '/later');
  expect(arrived).toHaveLength(CONNECTIONS);
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
