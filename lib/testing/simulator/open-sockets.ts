import type { Server, Socket } from 'node:net';

/**
 * The TCP sockets below the TLS sockets of a server. Only a TCP socket can send a reset. To close at once, the server also
 * has to end connections during their handshake, and connections that an answer took away from the HTTP server.
 */
export class OpenSockets {
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

  /** Ends the connection of a TLS socket with a TCP reset. */
  reset(socket: Socket): void {
    const tcp = socket.remotePort === undefined ? undefined : this.#byPort.get(socket.remotePort);
    // If the client has closed the connection, its socket has no port and there is nothing to reset.
    if (tcp) tcp.resetAndDestroy();
    else socket.destroy();
  }

  destroyAll(): void {
    for (const socket of this.#byPort.values()) socket.destroy();
  }
}
