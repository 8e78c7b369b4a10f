import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ProviderSimulator } from '../../../../lib/testing/index.js';
import { BUILT_IN_PROVIDER, type ProviderUnderTest } from '../../../support/application/every-term.js';
import { canariesOf } from '../../../support/secrets/simulated-canaries.js';

const PROXY_PASSWORD = 'canary-proxy-pass-0815';

/** The servers that the scenarios of a spec share. `reset()` removes the scripts and records of a scenario. */
export class TestEnvironment {
  private constructor(
    readonly providerUnderTest: ProviderUnderTest,
    readonly provider: ProviderSimulator,
    /** A provider with a certificate that no client trusts. */
    readonly untrusted: ProviderSimulator,
    private readonly plain: PlainServer,
    /** The clients are those of this account. */
    readonly account: string | undefined,
  ) {}

  static async start(providerUnderTest = BUILT_IN_PROVIDER, account?: string): Promise<TestEnvironment> {
    const [provider, untrusted, plain] = await Promise.all([
      providerUnderTest.simulate(),
      ProviderSimulator.start({ certificate: 'self-signed' }),
      PlainServer.start(),
    ]);
    if (account !== undefined) provider.addAccount(account);
    return new TestEnvironment(providerUnderTest, provider, untrusted, plain, account);
  }

  get api(): ProviderSimulator['api'] {
    return this.provider.api;
  }

  /** The base URL of the clients, unless a scenario sets another one. */
  get baseUrl(): string {
    return this.provider.baseUrl('easy', 'sandbox');
  }

  get untrustedUrl(): string {
    return this.untrusted.baseUrl('easy', 'sandbox');
  }

  /** A port without TLS. */
  get plainUrl(): string {
    return `https://127.0.0.1:${this.plain.port}/v1`;
  }

  /** No server listens to port 1, the port of the TCP multiplexer. */
  readonly deadUrl = 'https://127.0.0.1:1/v1';

  /** RFC 2606 reserves `.invalid`, so this name does not exist. */
  readonly unknownUrl = 'https://unknown-name.invalid/v1';

  /** The settings of a proxy that opens tunnels. */
  get proxy() {
    const auth = { username: 'canary', password: PROXY_PASSWORD };
    return { protocol: 'http', host: '127.0.0.1', port: this.plain.port, auth };
  }

  /** All secrets that must not leak: what the provider and the proxy received, and the tokens that the provider issued. */
  *canaries(): Generator<[name: string, value: string]> {
    yield ['proxy password', PROXY_PASSWORD];
    const { provider, account } = this;
    yield* canariesOf(provider.credentials('easy', 'sandbox'), provider.tokenRequests);
    if (account !== undefined)
      for (const [name, value] of canariesOf(provider.credentials('easy', 'sandbox', account), []))
        yield [`${name} of the account`, value];
  }

  reset(): void {
    this.provider.reset();
    this.untrusted.reset();
  }

  async close(): Promise<void> {
    await Promise.all([this.provider.close(), this.untrusted.close(), this.plain.close()]);
  }
}

/** An HTTP server without TLS. It also opens tunnels, as a proxy does. */
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
