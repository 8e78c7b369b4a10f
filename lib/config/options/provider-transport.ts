import type { AxiosProxyConfig } from 'axios';
import type { AnyPair } from '../../catalogue/catalogue.js';
import type { ClientTls } from '../../net/client-tls.js';

/** Sends API requests in place of `node:https`. `undiciTransport()` from `nestjs-provider-auth/undici` returns one. */
export interface ProviderTransport {
  /** Called once for each interface and environment, when its HTTP client is created. Returns a `Source`. @hidden */
  open(
    pair: AnyPair & {
      readonly tls?: ClientTls | undefined;
      /** `http.proxy` of the options. */
      readonly proxy?: AxiosProxyConfig | false | undefined;
    },
  ): object;
}
