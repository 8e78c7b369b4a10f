import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/**
 * The TCP sockets under the TLS ones. A reset can only be sent there, and closing at once must also reach connections
 * in mid-handshake and those that an answer took out of the HTTP server's hands.
 */
export class Connections {
  readonly #byPort = new Map<number, Socket>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      const port = socket.remotePort;
      if (port === undefined) return;
      this.#byPort.set(port, socket);
      socket.once('close', () => {
        if (this.#byPort.get(port) === socket) this.#byPort.delete(port);
      });
    });
  }

  /** Ends the connection with a TCP reset. */
  reset(socket: Socket): void {
    const tcp = socket.remotePort === undefined ? undefined : this.#byPort.get(socket.remotePort);
    // A client that has gone meanwhile has left no port behind, and nothing to reset.
    if (tcp) tcp.resetAndDestroy();
    else socket.destroy();
  }

  destroyAll(): void {
    for (const socket of this.#byPort.values()) socket.destroy();
  }
}
