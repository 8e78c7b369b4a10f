import { PROVIDER_INTERFACES } from '../../catalogue/provider-catalogue.js';
import type { HttpOptions, ProviderAuthOptions } from '../../config/provider-auth-options.js';
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

/** Complete options, as an application would have them, that lead nowhere. Unknown members are kept, to be refused. */
export function fakeOptions({ environment = 'sandbox', http, ...rest }: ProviderAuthTestingOptions): object {
  return clientOptions(FAKE_ADDRESSES, new CredentialBook(), 'sandbox', {
    ...rest,
    environment: typeof environment === 'object' ? { ...allInSandbox(), ...environment } : environment,
    http: { ...http, transport: NO_NETWORK },
  });
}

function allInSandbox(): object {
  return Object.fromEntries(PROVIDER_INTERFACES.map((name) => [name, 'sandbox']));
}
