import { issueServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';
import type { Authority, AuthorizationServer, Pair, ServerCertificate } from './authorization-server.js';
import { OidcAuthority, type TokenFormat } from './oidc-authority.js';

/** oidc-provider with the documented token URLs: one for originations, and one for each environment of easy (S4). */
export class OidcProvider implements AuthorizationServer {
  private constructor(
    readonly certificate: ServerCertificate,
    private readonly originations: OidcAuthority,
    private readonly easy: Readonly<Record<Pair[1], OidcAuthority>>,
  ) {}

  static async start(format: TokenFormat): Promise<OidcProvider> {
    const certificate = issueServerCertificate('trusted');
    const start = (path: string): Promise<OidcAuthority> => OidcAuthority.start(path, format, certificate);
    const [originations, sandbox, production] = await Promise.all([
      start('/oauth/token'),
      start('/auth/v0/connect/token'),
      start('/auth/v0/connect/token'),
    ]);
    return new OidcProvider(certificate, originations, { sandbox, production });
  }

  authority(...[name, environment]: Pair): Authority {
    return name === 'originations' ? this.originations : this.easy[environment];
  }

  async close(): Promise<void> {
    const all = [this.originations, ...Object.values(this.easy)];
    await Promise.all(all.map((authority) => authority.close()));
  }
}
