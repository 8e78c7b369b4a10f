import type { AxiosAdapter } from 'axios';
import type { ProviderPair } from '../catalogue/provider-catalogue.js';

/** How the bytes of API requests travel. `undiciTransport()` of the entry `/undici` gives one; axios' own adapter is the default. */
export interface ProviderTransport {
  /** Called once for each interface and environment, when its HTTP client is made. */
  open(profile: ProviderPair & { readonly baseUrl: string }): ProviderConnection;
}

export interface ProviderConnection {
  readonly adapter: AxiosAdapter;
  /** Called when the application closes; open requests are given time to end. */
  close(): Promise<void>;
}
