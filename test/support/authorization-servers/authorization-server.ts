import type { ServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';
import type { ProviderEnvironment, ProviderInterface } from '../../../lib/catalogue/provider-catalogue.js';

export type Pair = readonly [ProviderInterface, ProviderEnvironment];

/** What an account representative would have handed over, and how long its tokens live. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly lifetimeSeconds: number;
}

/** How the server's own record of its token requests reads for one client. */
export interface TokenRequestsSeen {
  readonly granted: number;
  readonly refused: number;
}

/** One token URL of a server that no one here wrote, and everything a test needs to know from its side. */
export interface Authority {
  readonly tokenUrl: string;
  /** Makes the client known; once more, with what has changed about it. */
  register(client: RegisteredClient): Promise<void>;
  seen(clientId: string): Promise<TokenRequestsSeen>;
  /** The client to which a token was issued; nobody's when it is forged, expired, revoked or from elsewhere. */
  holderOf(token: string): Promise<string | undefined>;
  /** @see RFC 7009 */
  revoke(token: string, client: RegisteredClient): Promise<void>;
}

export interface AuthorizationServer {
  /** What it shows, and what the API beside it may show too. */
  readonly certificate: ServerCertificate;
  authority(...pair: Pair): Authority;
  close(): Promise<void>;
}
