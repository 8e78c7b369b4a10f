import type { SecureContext, SecureContextOptions } from 'node:tls';
import type { AxiosAdapter } from 'axios';
import type { ProviderPair } from '../../catalogue/provider-catalogue.js';

/** What sends API requests. `undiciTransport()` of the entry `/undici` returns a transport. The default is the http adapter of axios. */
export interface ProviderTransport {
  /** Called once for each interface and environment, when its HTTP client is created. */
  open(
    profile: ProviderPair<string, string> & { readonly baseUrl: string; readonly tls?: ProviderTls },
  ): ProviderConnection;
  /** Whether the transport has its own authorities or client certificate. Then `tls` of an environment is a boot error. */
  readonly hasOwnTls?: boolean;
  /**
   * Whether the transport uses the `tls` that `open()` gets for all its connections. Without `true`, `tls` of an environment is a
   * boot error, because requests would be sent without it.
   */
  readonly usesTls?: boolean;
}

/** The authorities and the client certificate of one interface and environment, for `tls.connect`. */
export interface ProviderTls {
  /**
   * Another symbol after each change of the certificates. A request must then not start on a connection that was made with
   * another version.
   */
  readonly version: symbol;
  /**
   * Creates a context with the current certificates. No code can read the private key from it.
   *
   * @param further other options of `tls.createSecureContext`, such as `ciphers`.
   */
  secureContext(further?: SecureContextOptions): SecureContext;
}

/** The connection of a transport for one interface and environment. */
export interface ProviderConnection {
  /** Sends one request, as the adapters of axios do. */
  readonly adapter: AxiosAdapter;
  /**
   * Whether the adapter behaves as the http adapter of axios: a `cancelToken` ends a request, a form uses the boundary of
   * its content type, and `beforeRedirect` is called before each redirect. Any other adapter gets a `signal`, which costs
   * time for each request.
   */
  readonly actsAsHttp?: boolean;
  /**
   * Called when the application closes. Open requests get time to end.
   *
   * @param callsEnded resolves when the calls under way have ended: a call may wait for its token, or send its request again.
   */
  close(callsEnded?: Promise<void>): Promise<void>;
}
