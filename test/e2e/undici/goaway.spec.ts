import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { isAxiosError } from 'axios';
import { describe, expect, it } from 'vitest';
import { transportClient } from '../../support/http/transport-client.js';
import type { WireServer } from '../../support/http/wire-server.js';

/** More calls than the 100 that one HTTP/2 connection takes at once. */
const MANY = 250;
const FEW = 60;
const ENHANCE_YOUR_CALM = 11;

const ENDINGS: readonly (readonly [string, (server: WireServer) => void])[] = [
  ['as a restarting server does', ({ sessions }) => sessions.forEach((session) => session.close())],
  [
    'as an overloaded server does',
    ({ sessions }) =>
      sessions.forEach((session) => {
        session.goaway(ENHANCE_YOUR_CALM);
        session.destroy();
      }),
  ],
];

/** How a call ended: its status or the code of its error. */
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
      let isHeld = false;
      let held: ServerResponse[] = [];
      server.handler = (_, response) => void (isHeld ? held.push(response) : response.end('ok'));
      await client.get('/');
      for (let round = 1; round <= 4; round += 1) {
        server.seen = [];
        isHeld = true;
        const calls = Array.from({ length: number }, (_, index) =>
          ending(client.post(`/${index}`, { index }, { timeout: 20_000 })),
        );
        await expect.poll(() => server.seen).toHaveLength(atOnce);
        goAway(server);
        // So that the client gets GOAWAY before the answers.
        await pause(100);
        isHeld = false;
        for (const response of held) response.end('ok');
        held = [];
        // If the connection ends, undici ends the requests that are under way on it. No request waits, and none is sent twice.
        const endings = await Promise.all(calls);
        expect(['200', 'ECONNRESET', 'ERR_BAD_RESPONSE']).toEqual(
          expect.arrayContaining([...new Set(endings)]),
        );
        // Requests that had not been sent use the next connection.
        expect(endings.slice(atOnce)).toEqual(Array.from({ length: number - atOnce }, () => '200'));
        expect(new Set(server.seen.map(({ url }) => url)).size).toBe(server.seen.length);
        // One connection for each round, and no other.
        const next = number > atOnce ? 1 : 0;
        expect(server.connections).toBe(round + next);
        await expect.poll(() => server.openConnections).toBe(next);
        // By then, the client knows that the last connection has ended.
        await pause(50);
        expect((await client.get('/later', { timeout: 20_000 })).status).toBe(200);
      }
      expect(new Set(server.seen.map(({ protocol }) => protocol))).toEqual(new Set(['2.0']));
    },
  );
});
