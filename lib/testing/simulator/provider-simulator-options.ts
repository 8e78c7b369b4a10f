import type { ProviderEnvironment } from '../../catalogue/provider-catalogue.js';
import type { CertificateKind } from './certificate-authority.js';

/** How a simulated provider behaves from its start. */
export interface ProviderSimulatorOptions {
  /** Seconds that a token lives; fractions are welcome. @default 3600 */
  lifetimeSeconds?: number;
  /** Milliseconds that every answer takes. @default 0 */
  latencyMs?: number;
  /** The environment that `options()` and `env()` make the active one. @default 'sandbox' */
  environment?: ProviderEnvironment;
  /** What is wrong with the server's certificate, if anything. @default 'trusted' */
  certificate?: CertificateKind;
  /** Whether API requests are recorded; a load test of many thousand requests may do without. @default true */
  recordApiRequests?: boolean;
  /** The clock by which tokens expire: milliseconds since 1970. @default Date.now */
  now?: () => number;
}
