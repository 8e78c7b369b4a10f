import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type CertificateKind,
  issueServerCertificate,
} from '../../../lib/testing/simulator/certificate-authority.js';
import { OpenSockets } from '../../../lib/testing/simulator/server.js';
import { listenOnLoopback } from '../run/free-port.js';

/** A request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export type WireHandler = (
  request: http.IncomingMessage,
  response: http.ServerResponse,
  seen: SeenRequest,
) => void;

/** A plain server over TLS. A test sets its answers, and it records its requests byte for byte. */
export class WireServer {
  handler: WireHandler = (_, response) => void response.end('ok');
  /** Called before the body is read, instead of the handler. */
  onHeaders: ((request: http.IncomingMessage, response: http.ServerResponse) => void) | undefined;
  seen: SeenRequest[] = [];
  connections = 0;
  /** All connections, also connections that ended before the end of the TLS handshake. */
  sockets = 0;
  readonly #open = new Set<Duplex>();
  readonly #tcp: OpenSockets;

  private constructor(
    readonly ca: string,
    private readonly server: https.Server,
  ) {
    this.#tcp = new OpenSockets(server);
    server.on('connection', () => (this.sockets += 1));
    server.on('secureConnection', (socket: Duplex) => {
      this.connections += 1;
      this.#open.add(socket.on('error', () => undefined).once('close', () => this.#open.delete(socket)));
    });
    server.on('tlsClientError', () => undefined);
    server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) =>
      this.#serve(request, response),
    );
  }

  static async start({
    kind = 'trusted',
    clientCa,
    keepsIdleConnections = false,
  }: {
    kind?: CertificateKind;
    clientCa?: string;
    /** Only the client ends an idle connection. Otherwise this server does so after Node's 5 s. */
    keepsIdleConnections?: boolean;
  } = {}): Promise<WireServer> {
    const { ca, cert, key } = issueServerCertificate(kind);
    const settings = {
      cert,
      key,
      // A client without a certificate of this authority gets no answer.
      ...(clientCa !== undefined && { requestCert: true, rejectUnauthorized: true, ca: clientCa }),
    };
    const server = https.createServer({ ...settings, ...(keepsIdleConnections && { keepAliveTimeout: 0 }) });
    await listenOnLoopback(server);
    return new WireServer(ca, server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  get openConnections(): number {
    return this.#open.size;
  }

  /** The connections that are open after their TLS handshake. */
  get open(): ReadonlySet<Duplex> {
    return this.#open;
  }

  /** Later handshakes use this certificate, and accept clients of this authority. */
  present(identity: { readonly cert: string; readonly key: string; readonly ca?: string }): void {
    this.server.setSecureContext(identity);
  }

  /** Ends the connection of a request with a TCP reset. */
  reset({ socket }: http.IncomingMessage): void {
    this.#tcp.reset(socket);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  #serve(request: http.IncomingMessage, response: http.ServerResponse): void {
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    if (this.onHeaders) return this.onHeaders(request, response);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = request;
      const seen = { method, url, headers, rawHeaders, body: Buffer.concat(chunks) };
      this.seen.push(seen);
      this.handler(request, response, seen);
    });
  }
}
