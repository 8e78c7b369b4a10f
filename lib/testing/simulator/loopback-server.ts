import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import { issueServerCertificate, type CertificateKind } from './certificate-authority.js';
import { Connections } from './connections.js';

const LOOPBACK = '127.0.0.1';

/** A token of 16 KiB is within the rules (B13) and has to fit into a header; Node's own limit would refuse it. */
const MAX_HEADER_BYTES = 128 * 1024;

/** Load tests open connections by the thousand at once. */
const BACKLOG = 4096;

/** An HTTPS server that only this machine reaches, on a free port. */
export class LoopbackServer {
  readonly connections: Connections;

  private constructor(
    private readonly server: Server,
    readonly origin: string,
    /** PEM of its authority. */
    readonly ca: string,
  ) {
    this.connections = new Connections(server);
  }

  static async start(kind: CertificateKind): Promise<LoopbackServer> {
    const { ca, cert, key } = await issueServerCertificate(kind);
    const server = createServer({
      cert,
      key,
      maxHeaderSize: MAX_HEADER_BYTES,
      // A connection that the server closes for being idle is a fault; faults happen here when a script says so.
      keepAliveTimeout: 0,
      requestTimeout: 0,
      headersTimeout: 0,
    });
    server.listen({ port: 0, host: LOOPBACK, backlog: BACKLOG });
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new TypeError('A TCP server has a port.');
    return new LoopbackServer(server, `https://${LOOPBACK}:${address.port}`, ca);
  }

  serve(listener: RequestListener): void {
    this.server.on('request', listener);
  }

  /** Ends all connections at once, whatever they are in the middle of. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
    this.connections.destroyAll();
    await closed;
  }
}
