import { type AnyPair, BUILT_IN_NAME, type Catalogue, interfaceName } from '../../catalogue/catalogue.js';
import type { HttpOptions, ProviderAuthOptions } from '../../config/options/provider-auth-options.js';
import { AccessToken } from '../../secrets/access-token.js';
import { Deadline, systemClock } from '../../time/clock.js';
import type { TokenRequests } from '../../token/endpoint/token-endpoint.js';
import { isRecord } from '../../values/objects.js';
import { ClientCheck } from '../simulator/client-check.js';
import { clientOptions } from '../simulator/client-options.js';
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
  const clients = new ClientCheck(catalogue, addresses);
  return clientOptions(
    { catalogue, addresses, clients, environment: first },
    {},
    {
      // Any account exists. Its tokens are fake, so the credentials of the pair do for it.
      accounts: (_account: string, pair: AnyPair) => clients.of(pair),
      ...rest,
      environment: isRecord(environment) ? { ...allIn(first, catalogue), ...environment } : environment,
      http: isRecord(http) ? { ...http, transport: NO_NETWORK } : http,
    },
  );
}

function allIn(environment: string, { interfaces }: Catalogue): object {
  return Object.fromEntries(interfaces.map((name) => [name, environment]));
}

/** @see RFC 2606 section 2: no host under `invalid` can exist. */
export function fakeAddresses({ name: provider, entryOf }: Catalogue) {
  const hostOf = (...labels: readonly string[]): string =>
    [...labels, ...(provider === BUILT_IN_NAME ? [] : [provider]), 'invalid'].join('.').toLowerCase();
  return {
    baseUrl: ({ interface: name, environment }: AnyPair) => `https://${hostOf(name, environment)}`,
    issuer: ({ interface: name, environment }: AnyPair) => `https://${hostOf('issuer', name, environment)}`,
    tokenUrl: ({ interface: name, environment }: AnyPair) => {
      const { tokenUrlPer, tokenPathExample } = entryOf(name);
      const host = tokenUrlPer === 'interface' ? hostOf('login', name) : hostOf('login', name, environment);
      return `https://${host}${tokenPathExample}`;
    },
  };
}

const LIFETIME_MS = 3_600_000;

/**
 * Gives `fake-easy-sandbox-1`, then `-2`, and so on, without a request. With your own provider, its name comes first:
 * `fake-warehouse-stock-test-1`. The module itself caches these tokens, lets them expire and renews them.
 *
 * @param issued how many tokens with the same name there are: those of other scopes have the name of their pair, too.
 */
export function fakeTokenRequests(pair: AnyPair, issued: Map<string, number>): TokenRequests {
  const names = [interfaceName(pair, ' '), pair.environment, pair.account].filter(
    (name) => name !== undefined,
  );
  // An account may have any name, and a header may not.
  const name = names.join('-').replaceAll(/[^\w.~+/-]/g, '-');
  return {
    request() {
      const number = (issued.get(name) ?? 0) + 1;
      issued.set(name, number);
      const deadline = Deadline.after(systemClock, LIFETIME_MS);
      return Promise.resolve(
        new AccessToken(`fake-${name}-${number}`, { deadline, lifetimeMs: LIFETIME_MS }),
      );
    },
  };
}
