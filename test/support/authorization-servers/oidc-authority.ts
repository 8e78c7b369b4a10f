import { generateKeyPairSync, randomUUID } from 'node:crypto';
import https, { Agent } from 'node:https';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { Adapter, AdapterPayload, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { vi } from 'vitest';
import { callHttps } from '../http/https-call.js';
import { listenOnLoopback } from '../run/free-port.js';

export type TokenFormat = 'jwt' | 'opaque';

/** The credentials of a client, as a provider hands them out, and the lifetime of its tokens. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly lifetimeSeconds: number;
}

const AUDIENCE = 'https://api.example';

/** The credentials of the API at the introspection endpoint. */
const API = { clientId: `api-${randomUUID()}`, clientSecret: randomUUID(), lifetimeSeconds: 60 };

/** One oidc-provider on its own port. Its token endpoint has the documented path. */
export class OidcAuthority {
  readonly #clients = new Map<string, AdapterPayload>();
  readonly #lifetimes = new Map<string, number>();
  readonly #granted: (string | undefined)[] = [];
  readonly #refused: unknown[] = [];
  readonly #agent: Agent;
  readonly #keys: ReturnType<typeof createRemoteJWKSet>;

  private constructor(
    private readonly server: https.Server,
    private readonly issuer: string,
    private readonly format: TokenFormat,
    private readonly tokenPath: string,
    ca: string,
  ) {
    this.#agent = new Agent({ ca });
    this.#keys = createRemoteJWKSet(new URL('/jwks', issuer), { agent: this.#agent });
  }

  static async start(
    tokenPath: string,
    format: TokenFormat,
    { ca, cert, key }: Readonly<Record<'ca' | 'cert' | 'key', string>>,
  ): Promise<OidcAuthority> {
    const server = https.createServer({ cert, key });
    const issuer = `https://127.0.0.1:${await listenOnLoopback(server)}`;
    const authority = new OidcAuthority(server, issuer, format, tokenPath, ca);
    const provider = await authority.#provider();
    const serve = provider.callback();
    server.on('request', (request, response) => void serve(request, response));
    authority.register(API);
    return authority;
  }

  get tokenUrl(): string {
    return this.issuer + this.tokenPath;
  }

  /**
   * Registers a client, or changes a registered client.
   *
   * @param settings of the client, in the words of OpenID Connect: another way to authenticate, the public key.
   */
  register({ clientId, clientSecret, lifetimeSeconds }: RegisteredClient, settings: object = {}): void {
    this.#lifetimes.set(clientId, lifetimeSeconds);
    this.#clients.set(clientId, {
      client_id: clientId,
      client_secret: clientSecret,
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      token_endpoint_auth_method: 'client_secret_post',
      ...settings,
    });
  }

  /** The token requests of this client, as the server counted them. */
  seen(clientId: string): { granted: number; refused: number } {
    const count = (of: readonly unknown[]): number => of.filter((id) => id === clientId).length;
    return { granted: count(this.#granted), refused: count(this.#refused) };
  }

  /** The client that got this token. Undefined if the token is forged, expired, revoked or from another server. */
  async holderOf(token: string): Promise<string | undefined> {
    const claims = await (this.format === 'jwt' ? this.#verified(token) : this.#introspected(token));
    return typeof claims?.['client_id'] === 'string' ? claims['client_id'] : undefined;
  }

  /** @see RFC 7009 */
  async revoke(token: string, { clientId, clientSecret }: RegisteredClient): Promise<void> {
    await this.#post('revocation', { token, client_id: clientId, client_secret: clientSecret });
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    this.#agent.destroy();
    await closed;
  }

  /** Verifies a JWT as an API does: only the keys come from the server. */
  async #verified(token: string): Promise<Record<string, unknown> | undefined> {
    const options = { issuer: this.issuer, audience: AUDIENCE, typ: 'at+jwt' };
    return jwtVerify(token, this.#keys, options).then(
      ({ payload }) => payload,
      () => undefined,
    );
  }

  /** @see RFC 7662 */
  async #introspected(token: string): Promise<Record<string, unknown> | undefined> {
    const credentials = { client_id: API.clientId, client_secret: API.clientSecret };
    const claims = JSON.parse(await this.#post('introspection', { token, ...credentials }));
    return claims.active === true && claims.aud === AUDIENCE ? claims : undefined;
  }

  /** Sends a form to another endpoint, without the client under test. */
  async #post(name: string, fields: Record<string, string>): Promise<string> {
    const { status, text } = await callHttps(`${this.issuer}/token/${name}`, {
      agent: this.#agent,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
    if (status !== 200) throw new Error(`The ${name} answered with ${status}: ${text}`);
    return text;
  }

  async #provider(): Promise<Provider> {
    const { Provider } = await loadedQuietly();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const provider = new Provider(this.issuer, {
      adapter: (model) => keptIn(model === 'Client' ? this.#clients : new Map()),
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kty: 'EC', alg: 'ES256', use: 'sig' }] },
      clientDefaults: { id_token_signed_response_alg: 'ES256' },
      cookies: { keys: [randomUUID()] },
      routes: { token: this.tokenPath },
      ttl: { ClientCredentials: (_, token) => token.resourceServer?.accessTokenTTL ?? 60 },
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        introspection: { enabled: true, allowedPolicy: () => true },
        revocation: {
          enabled: true,
          allowedPolicy: (_, client, token) => token.clientId === client.clientId,
        },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => AUDIENCE,
          getResourceServerInfo: (_, __, client) => ({
            scope: '',
            audience: AUDIENCE,
            accessTokenTTL: this.#lifetimes.get(client.clientId) ?? 60,
            accessTokenFormat: this.format,
            jwt: { sign: { alg: 'ES256' } },
          }),
        },
      },
    });
    provider.on('grant.success', ({ oidc }: KoaContextWithOIDC) => this.#granted.push(oidc.client?.clientId));
    provider.on('grant.error', ({ oidc }: KoaContextWithOIDC) =>
      this.#refused.push(oidc.params?.['client_id']),
    );
    return provider;
  }
}

const nothing = async (): Promise<undefined> => undefined;

/** Issued tokens, or the clients that a test has registered. */
function keptIn(entries: Map<string, AdapterPayload>): Adapter {
  return {
    upsert: async (id, payload) => void entries.set(id, payload),
    find: async (id) => entries.get(id),
    destroy: async (id) => void entries.delete(id),
    findByUserCode: nothing,
    findByUid: nothing,
    consume: nothing,
    revokeByGrantId: nothing,
  };
}

/** Loads oidc-provider without its warning about a Node version that its authors have not tested. */
async function loadedQuietly(): Promise<typeof import('oidc-provider')> {
  const warning = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const loaded = await import('oidc-provider');
  warning.mockRestore();
  return loaded;
}
