import { generateKeyPairSync } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { ProviderEnvironment } from '../../../lib/catalogue/provider-catalogue.js';
import { onTestFinished, vi } from 'vitest';
import { createCertificate, type KeyHolder } from '../../../lib/testing/simulator/certificate.js';
import { WireServer } from './wire-server.js';

/** What a request was for, and the common name of the client certificate that came with its connection. */
export interface SeenClient {
  readonly path: string;
  readonly client: string | undefined;
}

/** The name in the certificate of the other side. A request over HTTP/2 does not have the socket itself. */
function clientOf(connection: object): string | undefined {
  return (connection as TLSSocket).getPeerX509Certificate()?.toLegacyObject().subject.CN?.toString();
}

const VALID = { notBefore: new Date('2000-01-01'), notAfter: new Date('2049-12-31') };
const LOOPBACK = { dns: ['localhost'], ip: [Buffer.of(127, 0, 0, 1)] };

function keyHolder(name: string): KeyHolder {
  return { name, key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey };
}

const TOKEN_PATH = '/auth/v0/connect/token';

/**
 * Token endpoint and API of easy on a server with its own authority. The server can insist on client certificates. The path
 * `/silent` gets no response, and `/held` gets its response when the test releases it.
 */
export class MutualTlsProvider {
  readonly seen: SeenClient[] = [];
  /** What the connection of each request agreed on. */
  readonly handshakes: { servername: unknown; protocol: string | null; cipher: string }[] = [];
  /** Answer the requests for `/held`. */
  readonly held: (() => void)[] = [];
  /** The requests of this client are answered with a reset. */
  refused: string | undefined;
  #ca: string;
  #authorities = 1;

  private constructor(private readonly server: WireServer) {
    this.#ca = server.ca;
    server.handler = (request, response) => {
      const path = request.url ?? '';
      const client = clientOf(request.socket);
      this.seen.push({ path, client });
      const socket = request.socket as TLSSocket & { servername?: unknown };
      const { servername } = socket;
      this.handshakes.push({ servername, protocol: socket.getProtocol(), cipher: socket.getCipher().name });
      if (client !== undefined && client === this.refused) return server.reset(request);
      if (path.endsWith('/silent')) return;
      if (path.endsWith('/moved')) response.writeHead(302, { location: 'things' });
      const token = { access_token: 'token-of-mutual-tls', token_type: 'Bearer', expires_in: 3600 };
      const answer = (): void =>
        void response.end(JSON.stringify(path.endsWith(TOKEN_PATH) ? token : { path }));
      if (path.endsWith('/held')) this.held.push(answer);
      else answer();
    };
  }

  /** @param clientCa PEM of the authority whose client certificates the server accepts; without it the server asks for none. */
  static async start(options: { clientCa?: string } = {}): Promise<MutualTlsProvider> {
    const server = await WireServer.start(options);
    onTestFinished(() => server.close());
    return new MutualTlsProvider(server);
  }

  /** PEM of the authority of the server. */
  get ca(): string {
    return this.#ca;
  }

  /** The common names of the client certificates of all open connections. */
  get openClients(): (string | undefined)[] {
    return [...this.server.open].map(clientOf);
  }

  /**
   * Later connections get a certificate of another authority.
   *
   * @param clientCa PEM of the authorities whose client certificates the server accepts then.
   */
  async changeAuthority(clientCa?: string): Promise<void> {
    this.#authorities += 1;
    const authority = keyHolder(`Authority ${this.#authorities}`);
    const server = keyHolder('Provider');
    this.#ca = createCertificate({ subject: authority, issuer: authority, use: 'authority', ...VALID });
    this.server.present({
      cert: createCertificate({ subject: server, issuer: authority, use: LOOPBACK, ...VALID }),
      key: server.key.export({ type: 'pkcs8', format: 'pem' }).toString(),
      ...(clientCa !== undefined && { ca: clientCa }),
    });
  }

  /** Ends all connections. Resolves when the clients have ended them, too. */
  async endConnections(): Promise<void> {
    const { open } = this.server;
    for (const connection of open) connection.end();
    await vi.waitUntil(() => open.size === 0, 20_000);
  }

  /** The options of one environment of easy. */
  settings(environment: ProviderEnvironment) {
    return {
      tokenUrl: `${this.server.url}/${environment}${TOKEN_PATH}`,
      baseUrl: `${this.server.url}/${environment}/easy`,
      clientId: `client of ${environment}`,
      clientSecret: `canary&secret of ${environment}`,
    };
  }

  /** The same as environment variables. */
  variables(environment: ProviderEnvironment): Record<string, string> {
    const { tokenUrl, baseUrl, clientId, clientSecret } = this.settings(environment);
    const prefix = `PROVIDER_EASY_${environment.toUpperCase()}`;
    return {
      [`${prefix}_TOKEN_URL`]: tokenUrl,
      [`${prefix}_BASE_URL`]: baseUrl,
      [`${prefix}_CLIENT_ID`]: clientId,
      [`${prefix}_CLIENT_SECRET`]: clientSecret,
    };
  }
}
