import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';

/** A real proxy on loopback: makes tunnels, or refuses to. */
export class ConnectProxy {
  /** The hosts that tunnels were asked for. */
  readonly tunnels: string[] = [];
  /** The bytes that each request for a tunnel is answered with, if it is to be refused. */
  refusal: string | undefined;
  readonly #server = createServer((_, response) => void response.writeHead(400).end('tunnels only'));
  readonly #open: Duplex[] = [];

  private constructor() {
    this.#server.on('connect', ({ url = '' }, client: Duplex) => this.#connect(url, client));
  }

  static async start(refusal?: string): Promise<ConnectProxy> {
    const proxy = new ConnectProxy();
    proxy.refusal = refusal;
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    onTestFinished(() => proxy.#close());
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** As `http.proxy` takes it. */
  get setting(): { protocol: string; host: string; port: number } {
    return { protocol: 'http', host: '127.0.0.1', port: this.port };
  }

  #connect(url: string, client: Duplex): void {
    this.tunnels.push(url);
    this.#open.push(client.on('error', () => {}));
    if (this.refusal !== undefined) {
      client.end(this.refusal);
      return;
    }
    const { hostname, port } = new URL(`https://${url}`);
    const there = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(there).pipe(client);
    });
    this.#open.push(there.on('error', () => {}));
  }

  #close(): void {
    this.#server.close();
    for (const end of this.#open) end.destroy();
  }
}
