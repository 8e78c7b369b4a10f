import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Server as TcpServer, Socket } from 'node:net';
import { unpooledConcat } from '../../secrets/unpooled-buffer.js';
import { issueServerCertificate, type ServerCertificate } from './certificate-authority.js';
import type { ProviderSimulatorOptions } from './provider-simulator-options.js';

const LOOPBACK = '127.0.0.1';

/** A token may have 16 KiB, and Node's default limit for headers is 16 KiB. */
const MAX_HEADER_BYTES = 128 * 1024;

/** Load tests open thousands of connections at once. */
const BACKLOG = 4096;

/**
 * The TCP sockets below the TLS sockets of a server. Only a TCP socket can send a reset. To close at once, the server also
 * has to end connections during their handshake, and connections that an answer took away from the HTTP server.
 */
export class OpenSockets {
  readonly #open = new Set<Socket>();

  constructor(server: TcpServer) {
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /** Ends the connection of a TLS socket with a TCP reset. */
  reset({ remotePort }: Socket): void {
    // If the client has closed the connection, there is nothing to reset.
    const tcp = [...this.#open].find((one) => one.remotePort === remotePort);
    tcp?.resetAndDestroy();
  }

  destroyAll(): void {
    for (const socket of this.#open) socket.destroy();
  }
}

export class LoopbackServer {
  readonly sockets: OpenSockets;

  private constructor(
    private readonly server: Server,
    readonly origin: string,
    readonly certificate: ServerCertificate,
  ) {
    this.sockets = new OpenSockets(server);
  }

  /** @param asksForCertificate whether clients can show a certificate. Any certificate is accepted here. */
  static async start(
    options: ProviderSimulatorOptions<string>,
    asksForCertificate: boolean,
  ): Promise<LoopbackServer> {
    const { certificate: kind = 'trusted', port = 0, authority } = options;
    const { demandsClientCertificate: demandsCertificate = false } = options;
    const certificate = await issueServerCertificate(kind, authority, demandsCertificate);
    const server = createServer({
      cert: certificate.cert,
      key: certificate.key,
      requestCert: asksForCertificate || demandsCertificate,
      rejectUnauthorized: demandsCertificate,
      ...(demandsCertificate && { ca: certificate.ca }),
      maxHeaderSize: MAX_HEADER_BYTES,
      // The server closes no idle connection: connections end only when a script ends them.
      keepAliveTimeout: 0,
      requestTimeout: 0,
      headersTimeout: 0,
    });
    server.listen({ port, host: LOOPBACK, backlog: BACKLOG });
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new TypeError('A TCP server has a port.');
    return new LoopbackServer(server, `https://${LOOPBACK}:${address.port}`, certificate);
  }

  serve(listener: RequestListener): void {
    this.server.on('request', listener);
  }

  /** Ends all connections at once, also during an answer. */
  async close(): Promise<void> {
    this.server.close();
    this.sockets.destroyAll();
    await once(this.server, 'close');
  }
}

export const NO_BODY = Buffer.alloc(0);

/** Reads the whole body. If a request breaks off, `done` is not called. */
export function readBody(request: IncomingMessage, done: (body: Buffer) => void): void {
  const { headers } = request;
  if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') {
    request.resume();
    return done(NO_BODY);
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(unpooledConcat(chunks)));
}
