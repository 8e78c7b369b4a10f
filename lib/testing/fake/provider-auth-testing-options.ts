import type { AnyPair, Catalogue } from '../../catalogue/catalogue.js';
import type { HttpOptions, ProviderAuthOptions } from '../../config/options/provider-auth-options.js';
import { isRecord } from '../../values/is-object.js';
import { ClientCheck } from '../simulator/client-check.js';
import { clientOptions } from '../simulator/client-options.js';
import { fakeAddresses } from './fake-addresses.js';
import { NO_NETWORK } from './no-network.js';

/** Options for a test without a network. */
export interface ProviderAuthTestingOptions<Environment = ProviderAuthOptions['environment']> {
  /** The active environment, as in the module's options. @default the first environment: 'sandbox' */
  environment?: Environment | undefined;
  /** Your app's HTTP options, if a test needs them. @default none */
  http?: Pick<HttpOptions, 'timeoutMs' | 'headers' | 'retryUnauthorized' | 'maxRedirects'> | undefined;
}

/**
 * Complete options with addresses that do not exist. Wrong options are passed on, so that the module refuses them. The
 * transport sends nothing.
 */
export function fakeOptions(catalogue: Catalogue, options: ProviderAuthTestingOptions<unknown>): object {
  const [first = ''] = catalogue.environments;
  const { environment = first, http = {}, ...rest } = options;
  const addresses = fakeAddresses(catalogue);
  const clients = new ClientCheck(catalogue, { now: Date.now, addresses });
  return clientOptions(
    { catalogue, addresses, clients, environment: first },
    {},
    {
      // Any account exists. Its tokens are fake, so the credentials of the pair do for it.
      accounts: (_account: string, pair: AnyPair) => clients.of(pair.interface, pair.environment),
      ...rest,
      environment: isRecord(environment) ? { ...allIn(first, catalogue), ...environment } : environment,
      http: isRecord(http) ? { ...http, transport: NO_NETWORK } : http,
    },
  );
}

function allIn(environment: string, { interfaces }: Catalogue): object {
  return Object.fromEntries(interfaces.map((name) => [name, environment]));
}
