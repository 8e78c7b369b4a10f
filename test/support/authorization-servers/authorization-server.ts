import type { ProviderEnvironment, ProviderInterface } from '../../../lib/catalogue/provider-catalogue.js';

export type Pair = readonly [ProviderInterface, ProviderEnvironment];

/** The credentials of a client, as a provider hands them out, and the lifetime of its tokens. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly lifetimeSeconds: number;
}

/** The token requests of one client, as the server counted them. */
export interface TokenRequestsSeen {
  readonly granted: number;
  readonly refused: number;
}

/** One token URL of a foreign authorization server, and all that a test needs to ask the server. */
export interface Authority {
  readonly tokenUrl: string;
  /** Registers a client, or changes a registered client. */
  register(client: RegisteredClient): Promise<void>;
  seen(clientId: string): Promise<TokenRequestsSeen>;
  /** The client that got this token. Undefined if the token is forged, expired, revoked or from another server. */
  holderOf(token: string): Promise<string | undefined>;
  /** @see RFC 7009 */
  revoke(token: string, client: RegisteredClient): Promise<void>;
}

export interface ServerCertificate {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface AuthorizationServer {
  /** The certificate of the server. The protected API uses the same certificate. */
  readonly certificate: ServerCertificate;
  authority(...pair: Pair): Authority;
  close(): Promise<void>;
}
