import { PROVIDER_INTERFACES } from '../../catalogue/provider-catalogue.js';
import type { HttpOptions, ProviderAuthOptions } from '../../config/options/provider-auth-options.js';
import { isRecord } from '../../values/is-object.js';
import { clientOptions } from '../simulator/client-settings.js';
import { CredentialBook } from '../simulator/credential-book.js';
import { FAKE_ADDRESSES } from './fake-addresses.js';
import { NO_NETWORK } from './no-network.js';

/** What a test without a network may still say of the module. */
export interface ProviderAuthTestingOptions {
  /** The environment of the plain injections, as in `ProviderAuthOptions`; where none is named, `sandbox`. */
  environment?: ProviderAuthOptions['environment'];
  /** As your application sets them, where a test is about that. */
  http?: Pick<HttpOptions, 'timeoutMs' | 'headers' | 'retryUnauthorized' | 'maxRedirects'>;
}

/**
 * Complete options, as an application would have them, that lead nowhere. What the module would refuse is kept, to be
 * refused; a transport is not, for no other than this one lets nothing out.
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
