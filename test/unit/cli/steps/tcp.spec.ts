import net, { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Check } from '../../../../lib/cli/step.js';
import { apiTcp, tcp } from '../../../../lib/cli/steps/tcp.js';
import { remedyOf, type Trouble } from '../../../../lib/errors/remedies.js';
import { checkTo } from '../../../support/application/doctor-check.js';
import { replaceBuiltIn } from '../../../support/application/replaced-builtin.js';
import { blackHole } from '../../../support/http/black-hole.js';
import { profileOf } from '../../../support/token/token-fixtures.js';

const profile = profileOf();

function connecting(
  port: number,
  more: { host?: string; isProxy?: boolean; timeoutMs?: number } = {},
): Check {
  const check = checkTo({ port, ...more }, { profile });
  const baseUrl = { host: 'elsewhere.invalid', port: 1, isProxy: false };
  return { ...check, destinations: { ...check.destinations, baseUrl } };
}

/** Each connection is this socket, which connects to nothing. */
function connectTo(socket: Socket): void {
  replaceBuiltIn(net, { connect: () => socket });
}

describe('the step about TCP', () => {
  it('connects, reports the address that the host had, and closes the connection', async () => {
    const port = await blackHole();
    const sockets: Socket[] = [];
    const { connect } = net;
    replaceBuiltIn(net, {
      connect: ((options: net.NetConnectOpts) => {
        const socket = connect(options);
        sockets.push(socket);
        return socket;
      }) as typeof net.connect,
    });
    expect(await tcp.run(connecting(port, { host: 'localhost' }))).toEqual({
      status: 'ok',
      detail: `connected to localhost:${port}`,
      facts: { address: '127.0.0.1', port },
    });
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  it('says that it connected to a proxy', async () => {
    const port = await blackHole();
    expect(await tcp.run(connecting(port, { isProxy: true }))).toEqual({
      status: 'ok',
      detail: `connected to the proxy 127.0.0.1:${port}`,
      facts: { address: '127.0.0.1', port },
    });
  });

  it('reports the host itself if the connection has ended before its address is read', async () => {
    const socket = new Socket();
    connectTo(socket);
    const finding = tcp.run(connecting(443));
    socket.emit('connect');
    expect(await finding).toMatchObject({ status: 'ok', facts: { address: '127.0.0.1' } });
  });

  it.each<[boolean, string, Trouble]>([
    [false, '127.0.0.1:1', 'refused-connection'],
    [true, 'the proxy 127.0.0.1:1', 'proxy'],
  ])('fails if nothing listens there, behind a proxy: %s', async (isProxy, to, trouble) => {
    expect(await tcp.run(connecting(1, { isProxy }))).toEqual({
      status: 'failed',
      detail: `no connection to ${to} (ECONNREFUSED)`,
      code: 'ECONNREFUSED',
      advice: remedyOf(trouble, profile, 'tokenUrl'),
    });
  });

  it('fails with the code UNKNOWN for an error without a code', async () => {
    const socket = new Socket();
    connectTo(socket);
    const finding = tcp.run(connecting(443));
    socket.destroy(new Error('something'));
    expect(await finding).toEqual({
      status: 'failed',
      detail: 'no connection to 127.0.0.1:443 (UNKNOWN)',
      code: 'UNKNOWN',
      advice: remedyOf('unreachable', profile, 'tokenUrl'),
    });
  });

  it('fails if it takes too long, and closes the socket', async () => {
    const socket = new Socket();
    connectTo(socket);
    expect(await tcp.run(connecting(443, { timeoutMs: 5 }))).toEqual({
      status: 'failed',
      detail: 'no connection to 127.0.0.1:443 within 5 ms (ETIMEDOUT)',
      code: 'ETIMEDOUT',
      advice: remedyOf('no-connection', profile, 'tokenUrl'),
    });
    expect(socket.destroyed).toBe(true);
  });

  it('is for the token URL, and for the base URL with its own name', () => {
    expect([tcp.name, apiTcp.name]).toEqual(['tcp', 'api-tcp']);
  });
});
