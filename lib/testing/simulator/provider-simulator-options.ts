import type { AnyPair } from '../../catalogue/catalogue.js';
import type { ProviderEnvironment } from '../../catalogue/provider-catalogue.js';
import type { TokenTarget } from '../../token/token-identity.js';
import type { AuthorityKeeper, CertificateKind } from './certificate-authority.js';
import type { ClientSettings } from './client-settings.js';
import type { SimulatorCredentials } from './credential-book.js';

/** The settings of a simulated provider. */
export interface ProviderSimulatorOptions<Environment extends string = ProviderEnvironment> {
  /** How many seconds a token lives; fractions are allowed. @default 3600 */
  lifetimeSeconds?: number;
  /** Milliseconds that each answer takes. @default 0 */
  latencyMs?: number;
  /** The active environment in `options()` and `env()`. @default the first environment: 'sandbox' */
  environment?: Environment;
  /** What is wrong with the server's certificate, if anything. @default 'trusted' */
  certificate?: CertificateKind;
  /** Whether API requests are recorded. Set it to false for load tests with many thousands of requests. @default true */
  recordApiRequests?: boolean;
  /**
   * What `for()` may ask for: a token request is also granted if its scope, audience and resource are those of one of these
   * entries. A member that is absent is that of the definition. @default only what the definition says
   *
   * @example
   * ProviderSimulator.start({ provider: warehouse, grants: [{ scope: 'stock.write' }] })
   */
  grants?: readonly Omit<TokenTarget, 'account'>[];
  /** The clock by which tokens expire: milliseconds since 1970. @default Date.now */
  now?: () => number;
  /** The port. @default 0: a free port */
  port?: number;
  /** The credentials of each pair. @default random @internal */
  credentials?: (pair: AnyPair) => SimulatorCredentials;
  /** Chooses and writes the file of a private key or its certificate for `env()`. @default a temporary file @internal */
  keyFileOf?: ClientSettings['keyFileOf'];
  /** Refuses clients without the certificate of `clientCertificate`. @internal */
  demandsClientCertificate?: boolean | undefined;
  /** Where `ca` and the demanded certificate are, for the variables of each pair in `env()`. @internal */
  tlsFiles?: ClientSettings['tlsFiles'];
  /** Keeps the certificate authority for the next start. @internal */
  authority?: AuthorityKeeper;
  /** Whether token requests are recorded. @internal */
  recordTokenRequests?: boolean;
}
