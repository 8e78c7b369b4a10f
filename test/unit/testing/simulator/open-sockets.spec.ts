import { EventEmitter } from 'node:events';
import type { Server, Socket } from 'node:net';
import { expect, it } from 'vitest';
import { OpenSockets } from '../../../../lib/testing/simulator/open-sockets.js';

/** A socket with this port of its client, which records how it ends. */
function socketOf(remotePort: number | undefined) {
  const ends: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    remotePort,
    destroy: () => ends.push('destroyed'),
    resetAndDestroy: () => ends.push('reset'),
  });
  return { socket: socket as object as Socket, ends };
}

function givenSockets() {
  const server = new EventEmitter() as Server;
  const sockets = new OpenSockets(server);
  const connect = (remotePort: number | undefined) => {
    const connected = socketOf(remotePort);
    server.emit('connection', connected.socket);
    return connected;
  };
  return { sockets, connect };
}

it('a reset ends the TCP socket below a TLS socket', () => {
  const { sockets, connect } = givenSockets();
  const [tcp, other, tls] = [connect(1), connect(2), socketOf(1)];
  sockets.reset(tls.socket);
  expect([tcp.ends, other.ends, tls.ends]).toEqual([['reset'], [], []]);
});

it.each([3, undefined])('a reset destroys a socket whose TCP socket is not known: port %s', (port) => {
  const { sockets, connect } = givenSockets();
  const tcp = connect(1);
  // A client that disconnected during the handshake has no port.
  connect(undefined);
  const tls = socketOf(port);
  sockets.reset(tls.socket);
  expect([tcp.ends, tls.ends]).toEqual([[], ['destroyed']]);
});

it('a closed socket is forgotten, unless another one has its port', () => {
  const { sockets, connect } = givenSockets();
  const [old, newer, closed] = [connect(1), connect(1), connect(2)];
  old.socket.emit('close');
  closed.socket.emit('close');
  const [first, second] = [socketOf(1), socketOf(2)];
  sockets.reset(first.socket);
  sockets.reset(second.socket);
  expect([old.ends, newer.ends, closed.ends]).toEqual([[], ['reset'], []]);
  expect([first.ends, second.ends]).toEqual([[], ['destroyed']]);
});

it('all open sockets can be destroyed at once', () => {
  const { sockets, connect } = givenSockets();
  const open = [connect(1), connect(2)];
  const [closed, nameless] = [connect(3), connect(undefined)];
  closed.socket.emit('close');
  sockets.destroyAll();
  expect(open.map(({ ends }) => ends)).toEqual([['destroyed'], ['destroyed']]);
  expect([closed.ends, nameless.ends]).toEqual([[], []]);
});
