import type { SecureContext, SecureContextOptions } from 'node:tls';
import type { AxiosAdapter } from 'axios';
import type { ProviderPair } from '../../catalogue/provider-catalogue.js';

/** How the bytes of API requests travel. `undiciTransport()` of the entry `/undici` gives one; axios' own adapter is the default. */
export interface ProviderTransport {
  /** Called once for each interface and environment, when its HTTP client is made. */
  open(profile: ProviderPair & { readonly baseUrl: string; readonly tls?: ProviderTls }): ProviderConnection;
  /** Whether the transport was given authorities or a client certificate: then `tls` of an environment is a boot error. */
  readonly hasOwnTls?: boolean;
}

/** The authorities and the client certificate of one interface and environment, for `tls.connect`. */
export interface ProviderTls {
  /**
   * No code can read the private key from it.
   *
   * @param further what else `tls.createSecureContext` takes, such as `ciphers`.
   */
  secureContext(further?: SecureContextOptions): SecureContext;
}

/** What a transport opens for one interface and environment. */
export interface ProviderConnection {
  /** Carries one request, in the way of axios' own adapters. */
  readonly adapter: AxiosAdapter;
  /**
   * Whether the adapter does as axios' http adapter does: a `cancelToken` ends it, a form is written within the boundary
   * that its content type names, `beforeRedirect` is asked before each hop. Any other gets a `signal`, at some cost.
   */
  readonly actsAsHttp?: boolean;
  /** Called when the application closes; open requests are given time to end. */
  close(): Promise<void>;
}
