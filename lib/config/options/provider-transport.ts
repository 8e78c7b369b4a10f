import type { AxiosProxyConfig } from 'axios';
import type { SecureContext, SecureContextOptions } from 'node:tls';
import type { ProviderPair } from '../../catalogue/provider-catalogue.js';

/** Sends API requests in place of `node:https`. `undiciTransport()` from `nestjs-provider-auth/undici` returns one. */
export interface ProviderTransport {
  /** Called once for each interface and environment, when its HTTP client is created. */
  open(
    profile: ProviderPair<string, string> & {
      readonly baseUrl: string;
      readonly tls?: ProviderTls;
      /** `http.proxy` of the options. */
      readonly proxy?: AxiosProxyConfig | false | undefined;
    },
  ): ProviderConnection;
  /**
   * Whether the transport uses the `tls` passed to `open()` for all its connections. Unless this is `true`, setting `tls` for
   * an environment is a boot error, because requests would be sent without it.
   */
  readonly usesTls?: boolean | undefined;
}

/** The certificate authorities and client certificate of one interface and environment, for `tls.connect`. */
export interface ProviderTls {
  /**
   * A new symbol after each change of the certificates. From then on, don't start a request on a connection that was opened
   * with an older version.
   */
  readonly version: symbol;
  /** The name that the API's certificate must be for, in place of the host. */
  readonly servername?: string | undefined;
  /**
   * Creates a TLS context with the current certificates. The private key can't be read from it.
   *
   * @param further other options of `tls.createSecureContext`, such as `ciphers`.
   */
  secureContext(further?: SecureContextOptions): SecureContext;
}

/** A transport's connections for one interface and environment. */
export interface ProviderConnection {
  /**
   * Called when your app closes. Let open requests end first.
   *
   * @param callsEnded resolves when the calls under way have ended: a call may wait for its token, or send its request again.
   */
  close(callsEnded: Promise<void>): Promise<void>;
}
