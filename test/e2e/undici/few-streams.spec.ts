import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { transportClient } from '../../support/http/transport-client.js';
import { WireServer } from '../../support/http/wire-server.js';

const STREAMS = 10;
const CALLS = 50;

describe('B14: a server that takes ten requests at once on an HTTP/2 connection', () => {
  it.each([
    ['one connection', 1],
    ['any number of connections', undefined],
  ])('answers each of fifty calls that begin at once, on %s', async (_, connections) => {
    const server = await WireServer.start({ allowH2: true, streams: STREAMS });
    const { client } = await transportClient({ server, allowH2: true, ...(connections && { connections }) });
    server.handler = (__, response) => void pause(20).then(() => response.end('ok'));
    for (const round of [1, 2]) {
      const calls = Array.from({ length: CALLS }, (__, index) =>
        client.post(`/${round}/${index}`, { index }),
      );
      expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200));
    }
    const arrived = server.seen.map(({ url }) => url);
    expect(arrived).toHaveLength(2 * CALLS);
    expect(new Set(arrived).size).toBe(2 * CALLS);
    expect(new Set(server.seen.map(({ protocol }) => protocol))).toEqual(new Set(['2.0']));
    expect(server.connections).toBeLessThanOrEqual(connections ?? CALLS / STREAMS);
  });
});
