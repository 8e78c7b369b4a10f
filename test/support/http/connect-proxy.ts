import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { listenOnLoopback } from '../run/free-port.js';

function refuse(_: unknown, response: ServerResponse): void {
  response.writeHead(400).end('tunnels only');
}

/**
 * An address on loopback by name, for calls through a proxy. The agent that axios makes for a proxy gives the host to TLS as the
 * server name, and Node 26 refuses an IP address there.
 */
export function byName(address: string): string {
  return address.replaceAll('//127.0.0.1:', '//localhost:');
}

/** A real proxy on loopback: makes tunnels, or refuses to. */
export class ConnectProxy {
  /** The hosts that tunnels were asked for. */
  readonly tunnels: string[] = [];
  /** The bytes that each request for a tunnel is answered with, if it is to be refused. */
  refusal: string | undefined;
  /** Runs before the answer to each request for a tunnel. */
  beforeAnswer: () => Promise<void> = () => Promise.resolve();
  /** How many requests for a tunnel came with a client certificate. */
  clientCertificates = 0;
  readonly #server: ReturnType<typeof createServer> | ReturnType<typeof createTlsServer>;
  readonly #open: Duplex[] = [];

  private constructor(private readonly tls?: { readonly cert: string; readonly key: string }) {
    this.#server = tls
      ? createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: false }, refuse)
      : createServer(refuse);
    this.#server.on('tlsClientError', () => {});
    this.#server.on('connect', ({ url = '' }, client: Duplex) => this.#connect(url, client));
  }

  /**
   * A proxy that ends with the test.
   *
   * @param tls certificate and key of a proxy that is itself reached by TLS. It asks each client for a certificate.
   */
  static async start(refusal?: string, tls?: { cert: string; key: string }): Promise<ConnectProxy> {
    const proxy = await ConnectProxy.open(refusal, tls);
    onTestFinished(() => proxy.close());
    return proxy;
  }

  static async open(refusal?: string, tls?: { cert: string; key: string }): Promise<ConnectProxy> {
    const proxy = new ConnectProxy(tls);
    proxy.refusal = refusal;
    await listenOnLoopback(proxy.#server);
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** As `http.proxy` takes it. */
  get setting(): { protocol: string; host: string; port: number } {
    return { protocol: this.tls ? 'https' : 'http', host: '127.0.0.1', port: this.port };
  }

  close(): void {
    this.#server.close();
    for (const end of this.#open) end.destroy();
  }

  #connect(url: string, client: Duplex): void {
    this.tunnels.push(url);
    if (client instanceof TLSSocket && client.getPeerX509Certificate() !== undefined)
      this.clientCertificates += 1;
    this.#open.push(client.on('error', () => {}));
    if (this.refusal !== undefined) {
      client.end(this.refusal);
      return;
    }
    const { hostname, port } = new URL(`https://${url}`);
    const answer = async (): Promise<void> => {
      await this.beforeAnswer();
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(there).pipe(client);
    };
    const there = connect(Number(port), hostname, () => void answer());
    this.#open.push(there.on('error', () => {}));
  }
}
