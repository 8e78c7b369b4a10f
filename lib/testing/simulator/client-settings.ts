import {
  PROVIDER_CATALOGUE,
  PROVIDER_ENVIRONMENTS,
  PROVIDER_INTERFACES,
  PROVIDER_PAIRS,
  type ProviderEnvironment,
} from '../../catalogue/provider-catalogue.js';
import { ENVIRONMENT_SETTING, settingsOf } from '../../config/process-env/variable-names.js';
import type { ProviderAuthOptions } from '../../config/options/provider-auth-options.js';
import { Secret } from '../../secrets/secret.js';
import type { Addresses } from './addresses.js';
import type { CredentialBook } from './credential-book.js';

export interface ClientSettings {
  readonly addresses: Pick<Addresses, 'tokenUrl' | 'baseUrl'>;
  readonly credentials: Pick<CredentialBook, 'of'>;
  /** The active environment. */
  readonly environment: ProviderEnvironment;
}

/** Complete options that lead to these addresses: all interfaces, all environments. */
export function clientOptions(
  { addresses, credentials, environment }: ClientSettings,
  overrides: Partial<ProviderAuthOptions>,
): ProviderAuthOptions {
  const interfaces = PROVIDER_INTERFACES.map((name) => {
    const shared = PROVIDER_CATALOGUE[name].tokenUrlPer === 'interface';
    const environments = PROVIDER_ENVIRONMENTS.map((environment) => {
      const pair = { interface: name, environment };
      const { clientId, clientSecret } = credentials.of(name, environment);
      return [
        environment,
        {
          ...(!shared && { tokenUrl: addresses.tokenUrl(pair) }),
          baseUrl: addresses.baseUrl(pair),
          clientId,
          clientSecret: new Secret(clientSecret),
        },
      ] as const;
    });
    const [first] = PROVIDER_ENVIRONMENTS;
    return [
      name,
      {
        ...(shared && { tokenUrl: addresses.tokenUrl({ interface: name, environment: first }) }),
        ...Object.fromEntries(environments),
      },
    ] as const;
  });
  return {
    environment,
    interfaces: Object.fromEntries(interfaces),
    ...overrides,
  };
}

/** The same as environment variables. */
export function clientEnvironment({
  addresses,
  credentials,
  environment,
}: ClientSettings): Record<string, string> {
  const variables: Record<string, string> = { [ENVIRONMENT_SETTING.variable]: environment };
  for (const pair of PROVIDER_PAIRS) {
    const { clientId, clientSecret } = credentials.of(pair.interface, pair.environment);
    const values: Record<string, string> = {
      tokenUrl: addresses.tokenUrl(pair),
      baseUrl: addresses.baseUrl(pair),
      clientId,
      clientSecret,
    };
    for (const { member, variable } of settingsOf(pair)) variables[variable] = values[member] ?? '';
  }
  return variables;
}
