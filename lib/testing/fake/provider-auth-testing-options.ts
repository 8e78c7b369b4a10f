import { PROVIDER_INTERFACES } from '../../catalogue/provider-catalogue.js';
import type { HttpOptions, ProviderAuthOptions } from '../../config/options/provider-auth-options.js';
import { isRecord } from '../../values/is-object.js';
import { clientOptions } from '../simulator/client-settings.js';
import { CredentialBook } from '../simulator/credential-book.js';
import { FAKE_ADDRESSES } from './fake-addresses.js';
import { NO_NETWORK } from './no-network.js';

/** The options of a test without a network. */
export interface ProviderAuthTestingOptions {
  /** The active environment, as in `ProviderAuthOptions`. @default 'sandbox' */
  environment?: ProviderAuthOptions['environment'];
  /** The same HTTP options as in your application, if a test needs them. */
  http?: Pick<HttpOptions, 'timeoutMs' | 'headers' | 'retryUnauthorized' | 'maxRedirects'>;
}

/**
 * Complete options with addresses that do not exist. Wrong options are passed on, so that the module refuses them. The
 * transport of the options is replaced by one that sends nothing.
 */
export function fakeOptions({
  environment = 'sandbox',
  http = {},
  ...rest
}: ProviderAuthTestingOptions): object {
  return clientOptions(
    { addresses: FAKE_ADDRESSES, credentials: new CredentialBook(), environment: 'sandbox' },
    {
      ...rest,
      environment: isRecord(environment) ? { ...allInSandbox(), ...environment } : environment,
      http: isRecord(http) ? { ...http, transport: NO_NETWORK } : http,
    },
  );
}

function allInSandbox(): object {
  return Object.fromEntries(PROVIDER_INTERFACES.map((name) => [name, 'sandbox']));
}
