import type { AnyPair, Catalogue } from '../../catalogue/catalogue.js';
import { environmentSetting, settingsOf } from '../../config/process-env/variable-names.js';
import type { UncheckedOptions } from '../../config/process-env/read-variables.js';
import { Secret } from '../../secrets/secret.js';
import type { Addresses } from './addresses.js';
import type { CredentialBook } from './credential-book.js';

export interface ClientSettings {
  readonly catalogue: Catalogue;
  readonly addresses: Pick<Addresses, 'tokenUrl' | 'baseUrl'>;
  readonly credentials: Pick<CredentialBook, 'of'>;
  /** Writes a private key to a file, because variables hold only the name of such a file. */
  readonly keyFileOf?: (pair: AnyPair, key: string) => string;
  /** The active environment. */
  readonly environment: string;
}

/** Complete options that lead to these addresses: all interfaces, all environments. */
export function clientOptions(
  { catalogue, addresses, credentials, environment }: ClientSettings,
  overrides: object,
): UncheckedOptions {
  const interfaces = catalogue.interfaces.map((name) => {
    const shared = catalogue.entryOf(name).tokenUrlPer === 'interface';
    const environments = catalogue.environments.map((environment) => {
      const pair = { interface: name, environment };
      const { clientId, clientSecret, clientKey } = credentials.of(name, environment);
      return [
        environment,
        {
          ...(!shared && { tokenUrl: addresses.tokenUrl(pair) }),
          baseUrl: addresses.baseUrl(pair),
          clientId,
          ...(clientKey === undefined
            ? { clientSecret: new Secret(clientSecret) }
            : { clientKey: new Secret(clientKey) }),
        },
      ] as const;
    });
    const [first = ''] = catalogue.environments;
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
  catalogue,
  addresses,
  credentials,
  environment,
  keyFileOf,
}: ClientSettings): Record<string, string> {
  const variables: Record<string, string> = { [environmentSetting(catalogue).variable]: environment };
  for (const pair of catalogue.pairs) {
    const { clientId, clientSecret, clientKey } = credentials.of(pair.interface, pair.environment);
    const values: Record<string, string> = {
      tokenUrl: addresses.tokenUrl(pair),
      baseUrl: addresses.baseUrl(pair),
      clientId,
      clientSecret,
      ...(clientKey !== undefined && keyFileOf && { clientKey: keyFileOf(pair, clientKey) }),
    };
    for (const { member, variable } of settingsOf(catalogue, pair))
      variables[variable] = values[member] ?? '';
  }
  return variables;
}
