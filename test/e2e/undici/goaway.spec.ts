import { setTimeout as pause } from 'node:timers/promises';
import { isAxiosError } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import { transportClient } from '../../support/http/transport-client.js';
import type { WireServer } from '../../support/http/wire-server.js';

/** Of which one HTTP/2 connection takes 100 at once. */
const MANY = 250;
const FEW = 60;
const ENHANCE_YOUR_CALM = 11;

const ENDINGS: readonly (readonly [string, (server: WireServer) => void])[] = [
  ['as a server that is restarted does', ({ sessions }) => sessions.forEach((session) => session.close())],
  [
    'as a server that has had enough does',
    ({ sessions }) =>
      sessions.forEach((session) => {
        session.goaway(ENHANCE_YOUR_CALM);
        session.destroy();
      }),
  ],
];

/** How a call ended, in a word: its status or the code of its error. */
function ending(call: Promise<{ status: number }>): Promise<string> {
  return call.then(
    ({ status }) => String(status),
    (error: unknown) => (isAxiosError(error) ? (error.code ?? 'no code') : 'no AxiosError'),
  );
}

describe.each(ENDINGS)('B14: a server that sends GOAWAY in the middle of load, %s', (_, goAway) => {
  it.each([
    [FEW, {}, FEW],
    [MANY, { connections: 1 }, 100],
  ])(
    'ends the %d calls under way or lets them finish, repeats none, and later ones have a new connection: %j',
    async (number, limit, atOnce) => {
      const { server, client } = await transportClient({ allowH2: true, ...limit });
      server.handler = (_, response) => void setTimeout(() => response.end('ok'), 100);
      await client.get('/');
      for (let round = 1; round <= 4; round += 1) {
        server.seen = [];
        const calls = Array.from({ length: number }, (_, index) =>
          ending(client.post(`/${index}`, { index }, { timeout: 20_000 })),
        );
        await vi.waitFor(() => expect(server.seen).toHaveLength(atOnce), { timeout: 5_000 });
        goAway(server);
        // undici ends with the connection what is under way on it: nothing waits, and nothing is sent twice.
        const endings = await Promise.all(calls);
        expect(['200', 'ECONNRESET', 'ERR_BAD_RESPONSE']).toEqual(
          expect.arrayContaining([...new Set(endings)]),
        );
        // What had not been sent goes out by the next connection.
        expect(endings.slice(atOnce)).toEqual(Array.from({ length: number - atOnce }, () => '200'));
        expect(new Set(server.seen.map(({ url }) => url)).size).toBe(server.seen.length);
        // One for each round, and none beside it.
        const next = number > atOnce ? 1 : 0;
        expect(server.connections).toBe(round + next);
        await vi.waitFor(() => expect(server.openConnections).toBe(next), { timeout: 5_000 });
        // The end of the last one has come to the client as well.
        await pause(50);
        expect((await client.get('/later', { timeout: 20_000 })).status).toBe(200);
      }
      expect(new Set(server.seen.map(({ protocol }) => protocol))).toEqual(new Set(['2.0']));
    },
  );
});
