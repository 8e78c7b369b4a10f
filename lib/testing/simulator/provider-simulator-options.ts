import type { AnyPair } from '../../catalogue/catalogue.js';
import type { ProviderEnvironment } from '../../catalogue/provider-catalogue.js';
import type { TokenTarget } from '../../token/token-identity.js';
import type { Authority, CertificateKind } from './certificate-authority.js';
import type { SimulatorCredentials } from './client-check.js';

/** Options for a simulated provider. */
export interface ProviderSimulatorOptions<Environment extends string = ProviderEnvironment> {
  /** How many seconds a token lives; fractions are allowed. @default the definition's `expiresIn`, or 3600 */
  lifetimeSeconds?: number | undefined;
  /** How many milliseconds each answer takes. @default 0 */
  latencyMs?: number | undefined;
  /** The active environment in `options()` and `env()`. @default the first environment: 'sandbox' */
  environment?: Environment | undefined;
  /** What is wrong with the server's certificate, if anything. @default 'trusted' */
  certificate?: CertificateKind | undefined;
  /** Whether to record API requests. Set it to false for load tests with many thousands of requests. @default true */
  recordApiRequests?: boolean | undefined;
  /**
   * What else to grant, for calls with `for()`: a scope, audience or resource that the definition doesn't have. A member that
   * you leave out is the definition's. @default only what the definition says
   *
   * @example
   * ProviderSimulator.start({ provider: warehouse, grants: [{ scope: 'stock.write' }] })
   */
  grants?: readonly Omit<TokenTarget, 'account'>[] | undefined;
  /** The clock for token lifetimes: milliseconds since 1970. @default Date.now */
  now?: (() => number) | undefined;
  /** The port to listen on. @default 0: a free port */
  port?: number | undefined;
  /** The credentials of each pair. @default random @internal */
  credentials?: ((pair: AnyPair) => SimulatorCredentials) | undefined;
  /** Refuses clients without the certificate of `clientCertificate`. @internal */
  demandsClientCertificate?: boolean | undefined;
  /** The certificate authority of an earlier start. @default a new one @internal */
  authority?: Authority | undefined;
  /** Whether token requests are recorded. @internal */
  recordTokenRequests?: boolean | undefined;
}
