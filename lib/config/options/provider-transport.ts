import type { SecureContext, SecureContextOptions } from 'node:tls';
import type { AxiosAdapter, AxiosResponse, CancelToken, InternalAxiosRequestConfig } from 'axios';
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
   * Creates a context. No code can read the private key from it.
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
  /** @hidden Sends ordinary requests without the adapter. */
  readonly directSender?: DirectSender;
  /** Called when the application closes. Open requests get time to end. */
  close(): Promise<void>;
}

/**
 * @hidden An ordinary request, ready to be sent: its address and its headers were checked, its body is in memory. A transport
 * of the application gets no such request.
 */
export interface DirectRequest {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  /** A name, its value, the next name, and so on: the headers of the config, and the token. */
  readonly headers: string[];
  readonly body: Buffer | null;
  /** What the result shows. It decides about the response: `validateStatus`, `responseType`, `maxContentLength`. */
  readonly config: InternalAxiosRequestConfig;
  /** Ends the request with the call. The `timeout`, the `signal` and the `cancelToken` of the config are watched by the call. */
  readonly cancellation: CancelToken;
}

/**
 * @hidden Gets the result that the adapter of the same transport would give. With the response type `stream`, it gets the result
 * with the head of the response, and `data` is a `ReceivedBody` instead of a stream.
 */
export interface DirectResult {
  resolve(response: AxiosResponse): void;
  reject(error: unknown): void;
}

/** @hidden Sends ordinary requests, see `lib/http/express`. */
export interface DirectSender {
  /** Whether the responses hold no real request, and no memory that they share with other requests. */
  readonly givesCleanResponses: boolean;
  /** Whether this sender can send a request of this kind. */
  accepts(method: string, body: Buffer | null): boolean;
  send(request: DirectRequest, result: DirectResult): void;
}
