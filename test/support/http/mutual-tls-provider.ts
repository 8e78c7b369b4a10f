import type { TLSSocket } from 'node:tls';
import type { ProviderEnvironment } from '../../../lib/catalogue/provider-catalogue.js';
import { onTestFinished } from 'vitest';
import { WireServer } from './wire-server.js';

/** What a request was for, and the common name of the client certificate that came with its connection. */
export interface SeenClient {
  readonly path: string;
  readonly client: string | undefined;
}

const TOKEN_PATH = '/auth/v0/connect/token';

/**
 * Token endpoint and API of easy on a server with its own authority. The server can insist on client certificates. The path
 * `/silent` gets no response.
 */
export class MutualTlsProvider {
  readonly seen: SeenClient[] = [];

  private constructor(private readonly server: WireServer) {
    server.handler = (request, response) => {
      const { CN: client } =
        (request.socket as TLSSocket).getPeerX509Certificate()?.toLegacyObject().subject ?? {};
      const path = request.url ?? '';
      this.seen.push({ path, client: client?.toString() });
      if (path.endsWith('/silent')) return;
      if (path.endsWith('/moved')) response.writeHead(302, { location: 'things' });
      const token = { access_token: 'token-of-mutual-tls', token_type: 'Bearer', expires_in: 3600 };
      response.end(JSON.stringify(path.endsWith(TOKEN_PATH) ? token : { path }));
    };
  }

  /** @param clientCa PEM of the authority whose client certificates the server accepts; without it the server asks for none. */
  static async start(options: { clientCa?: string; allowH2?: boolean } = {}): Promise<MutualTlsProvider> {
    const server = await WireServer.start(options);
    onTestFinished(() => server.close());
    return new MutualTlsProvider(server);
  }

  /** PEM of the authority of the server. */
  get ca(): string {
    return this.server.ca;
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
