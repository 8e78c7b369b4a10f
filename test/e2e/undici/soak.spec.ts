import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { runNode } from '../../support/run/run-command.js';
import { startSimulator } from '../../support/application/simulator.js';
import type { Soaked, SoakSettings } from './soaked-client.js';

const CONNECTIONS = 16;
/** The connection for token requests, in addition to the connections to the API. */
const OTHERS = 1;
/** Connections that the client has closed, but the server has not noticed yet. */
const ENDING = CONNECTIONS;
/** The allowed growth since the middle rounds. Caches and optimised code still grow a little after these rounds. */
const GROWTH = 1.02;

/** The most sockets that servers of this process had open at once from now on. */
function mostSockets(): () => number {
  let open = 0;
  let most = 0;
  const count = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    most = Math.max(most, (open += 1));
    socket.once('close', () => (open -= 1));
  };
  subscribe('net.server.socket', count);
  onTestFinished(() => void unsubscribe('net.server.socket', count));
  return () => most;
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;

it('B14: a process of good and bad calls keeps its memory and its sockets', async () => {
  const sockets = mostSockets();
  const provider = await startSimulator();
  provider.api.path('/slow').drip('body', 10);
  provider.api.path('/silent').hang();
  provider.api.path('/reset').reset('mid-body');
  provider.api.path('/revoke').handler((_, response) => {
    provider.token.revokeAll();
    response.end();
  });
  const settings: SoakSettings = {
    ca: provider.ca,
    tokenUrl: provider.tokenUrl('easy', 'sandbox'),
    baseUrl: provider.baseUrl('easy', 'sandbox'),
    ...provider.credentials('easy', 'sandbox'),
    connections: CONNECTIONS,
  };
  const { code, stdout, output } = await runNode(
    [
      '--expose-gc',
      '--import=./test/support/run/register-source.mjs',
      '--input-type=module',
      '--eval',
      `import { soak } from './test/e2e/undici/soaked-client.ts';
       console.log(JSON.stringify(await soak(${JSON.stringify(settings)})));`,
    ],
    { cwd: fileURLToPath(new URL('../../../', import.meta.url)), timeoutMs: 110_000 },
  );
  expect({ code, output }).toMatchObject({ code: 0 });
  const { heap, endings } = JSON.parse(stdout) as Soaked;
  expect(endings).toEqual({
    'ordinary: ok': expect.any(Number),
    'an upload: ok': expect.any(Number),
    'a stream left half-way: ok': expect.any(Number),
    'a stream aborted half-way: ok': expect.any(Number),
    'a timeout: ECONNABORTED': expect.any(Number),
    'a reset: ERR_BAD_RESPONSE': expect.any(Number),
  });
  const third = heap.length / 3;
  const [middle, last] = [median(heap.slice(third, 2 * third)), median(heap.slice(2 * third))];
  expect(last / middle).toBeLessThan(GROWTH);
  expect(sockets()).toBeLessThanOrEqual(CONNECTIONS + OTHERS + ENDING);
  // The first token request, and one for each round with a revoked token.
  expect(provider.tokenRequests).toHaveLength(heap.length + 1);
}, 120_000);
