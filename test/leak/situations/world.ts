import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ProviderSimulator } from '../../../lib/testing/index.js';

const PROXY_PASSWORD = 'canary-proxy-pass-0815';

/** All that a situation may meet: shared by the situations of a file, for each leaves it as it was. */
export class World {
  private constructor(
    readonly provider: ProviderSimulator,
    /** Its certificate is trusted by nobody. */
    readonly stranger: ProviderSimulator,
    private readonly plain: PlainServer,
  ) {}

  static async start(): Promise<World> {
    const [provider, stranger, plain] = await Promise.all([
      ProviderSimulator.start(),
      ProviderSimulator.start({ certificate: 'self-signed' }),
      PlainServer.start(),
    ]);
    return new World(provider, stranger, plain);
  }

  get api(): ProviderSimulator['api'] {
    return this.provider.api;
  }

  /** Under the base URL of every client here, unless a situation says otherwise. */
  get baseUrl(): string {
    return this.provider.baseUrl('easy', 'sandbox');
  }

  get strangersUrl(): string {
    return this.stranger.baseUrl('easy', 'sandbox');
  }

  /** A port that speaks no TLS. */
  get plainUrl(): string {
    return `https://127.0.0.1:${this.plain.port}/v1`;
  }

  /** Nobody listens to the port of the TCP multiplexer any more. */
  readonly deadUrl = 'https://127.0.0.1:1/v1';

  /** RFC 2606 promises that there is no such name. */
  readonly unknownUrl = 'https://nobody-has-this-name.invalid/v1';

  /** Of a proxy that makes tunnels. */
  get proxy() {
    const auth = { username: 'canary', password: PROXY_PASSWORD };
    return { protocol: 'http', host: '127.0.0.1', port: this.plain.port, auth };
  }

  /** All that must be seen nowhere: what the provider and the proxy were ever told. */
  *canaries(): Generator<[name: string, value: string]> {
    const { clientId, clientSecret } = this.provider.credentials('easy', 'sandbox');
    yield ['client id', clientId];
    yield ['client secret', clientSecret];
    yield ['proxy password', PROXY_PASSWORD];
    for (const [index, { token }] of this.provider.tokenRequests.entries()) {
      if (token !== undefined) yield [`token ${index}`, token];
    }
  }

  reset(): void {
    this.provider.reset();
    this.stranger.reset();
  }

  async close(): Promise<void> {
    await Promise.all([this.provider.close(), this.stranger.close(), this.plain.close()]);
  }
}

/** Speaks HTTP without TLS, and makes tunnels as a proxy does. */
class PlainServer {
  readonly #open = new Set<Duplex>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket: Duplex) => this.#keep(socket));
    server.on('connect', ({ url = '' }, client: Duplex) => {
      const { hostname, port } = new URL(`https://${url}`);
      const there = connect(Number(port), hostname, () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        client.pipe(there).pipe(client);
      });
      this.#keep(there);
    });
  }

  static async start(): Promise<PlainServer> {
    const server = createServer((_, response) => response.end('in the clear'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new PlainServer(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  #keep(socket: Duplex): void {
    this.#open.add(socket.on('error', () => undefined).once('close', () => this.#open.delete(socket)));
  }
}
