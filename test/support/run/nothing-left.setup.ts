import { subscribe } from 'node:diagnostics_channel';
import type { Server, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { beforeEach } from 'vitest';
import { Tokens } from '../../../lib/token/tokens.js';

/**
 * Fails each test that leaves something: an application that has closed and still requests a token, or an open socket of a
 * server that has closed. Spec files share a process, so what one test leaves disturbs the tests after it.
 */

/** A server and its sockets close some turns after the call that closes them. */
const TURNS = 20;

interface Witness {
  /** Of the applications that have closed in this test. */
  readonly closed: Set<Tokens>;
  readonly sockets: Set<Socket & { readonly server?: Server }>;
}

/** This file runs for each spec file of the process. */
const WITNESS = Symbol.for('nothing left after a test');

function createWitness(): Witness {
  const witness: Witness = { closed: new Set(), sockets: new Set() };
  const { prototype } = Tokens;
  const close = Reflect.get(prototype, 'close');
  prototype.close = function closeAndNote(this: Tokens): void {
    witness.closed.add(this);
    close.call(this);
  };
  subscribe('net.server.socket', (message) => {
    const { socket } = message as { socket: Socket };
    witness.sockets.add(socket);
    socket.once('close', () => witness.sockets.delete(socket));
  });
  return witness;
}

const known = globalThis as { [WITNESS]?: Witness };
const witness = (known[WITNESS] ??= createWitness());

function whatIsLeft(): string[] {
  const busy = [...witness.closed].filter(({ isBusy }) => isBusy);
  const open = [...witness.sockets].filter(({ server }) => server?.listening === false);
  return [
    ...busy.map(
      ({ interface: name, environment }) =>
        `The application has closed, and still requests a token of ${name} ${environment}.`,
    ),
    ...open.map(
      ({ localPort }) => `The server on port ${localPort} has closed, and still has an open socket.`,
    ),
  ];
}

beforeEach(({ onTestFinished }) => {
  // Registered before all others, so that this check runs after all of them.
  onTestFinished(async () => {
    for (let turn = 0; turn < TURNS && whatIsLeft().length > 0; turn += 1) await setImmediate();
    const left = whatIsLeft();
    witness.closed.clear();
    // So that no later test is blamed.
    if (left.length > 0) witness.sockets.clear();
    if (left.length > 0) throw new Error(['This test leaves something behind.', ...left].join('\n'));
  });
});
