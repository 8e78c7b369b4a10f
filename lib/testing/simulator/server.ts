import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server as TcpServer, Socket } from 'node:net';
import { unpooledConcat } from '../../secrets/unpooled-buffer.js';
import { issueServerCertificate } from './certificate-authority.js';
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

/**
 * Starts an HTTPS server on loopback.
 *
 * @param asksForCertificate whether clients can show a certificate. Any certificate is accepted here.
 */
export async function startServer(options: ProviderSimulatorOptions<string>, asksForCertificate: boolean) {
  const { certificate: kind = 'trusted', port = 0, authority, demandsClientCertificate = false } = options;
  const certificate = issueServerCertificate(kind, authority, demandsClientCertificate);
  const https = createServer({
    cert: certificate.cert,
    key: certificate.key,
    requestCert: asksForCertificate || demandsClientCertificate,
    rejectUnauthorized: demandsClientCertificate,
    ...(demandsClientCertificate && { ca: certificate.ca }),
    maxHeaderSize: MAX_HEADER_BYTES,
    // The server closes no idle connection: connections end only when a script ends them.
    keepAliveTimeout: 0,
    requestTimeout: 0,
    headersTimeout: 0,
  });
  const sockets = new OpenSockets(https);
  await once(https.listen({ port, host: LOOPBACK, backlog: BACKLOG }), 'listening');
  const address = https.address() as AddressInfo;
  /** Ends all connections at once, also during an answer. */
  const close = async (): Promise<void> => {
    https.close();
    sockets.destroyAll();
    await once(https, 'close');
  };
  return { https, sockets, certificate, origin: `https://${LOOPBACK}:${address.port}`, close };
}

export type LoopbackServer = Awaited<ReturnType<typeof startServer>>;

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
