import type { AnyPair, Catalogue } from '../../catalogue/catalogue.js';
import { environmentSetting, settingsOf, settingsOfPair } from '../../config/process-env/variable-names.js';
import type { UncheckedOptions } from '../../config/process-env/read-variables.js';
import { Secret } from '../../secrets/secret.js';
import type { Addresses } from './addresses.js';
import type { CredentialBook } from './credential-book.js';

/** What a file holds. It is part of the name of the file. */
export type KeyFileKind = 'key' | 'cert' | 'assertion';

export interface ClientSettings {
  readonly catalogue: Catalogue;
  readonly addresses: Pick<Addresses, 'tokenUrl' | 'baseUrl' | 'issuer'>;
  readonly credentials: Pick<CredentialBook, 'of'>;
  /** `tls` of each pair: what the application trusts, and its certificate if the server demands one. */
  readonly tls?: object | undefined;
  /** Files for `tls` of each pair. */
  readonly tlsFiles?: Readonly<Partial<Record<string, string>>> | undefined;
  /** Writes a private key, its certificate or an assertion to a file, because variables hold only the name of such a file. */
  readonly keyFileOf?: (pair: AnyPair, pem: string, kind: KeyFileKind) => string;
  /** The active environment. */
  readonly environment: string;
}

/** Complete options that lead to these addresses: all interfaces, all environments. */
export function clientOptions(
  { catalogue, addresses, credentials, environment, tls: ofAll }: ClientSettings,
  overrides: object,
): UncheckedOptions {
  const interfaces = catalogue.interfaces.map((name) => {
    const { tokenUrlPer, assertion, clientAuth } = catalogue.entryOf(name);
    const shared = tokenUrlPer === 'interface';
    const environments = catalogue.environments.map((environment) => {
      const pair = { interface: name, environment };
      const { clientId, clientSecret, clientKey, clientCertificate, clientAssertion } = credentials.of(
        name,
        environment,
      );
      const isCertified = clientAuth === 'tls_client_auth';
      const tls = {
        ...ofAll,
        ...(isCertified && { cert: clientCertificate, key: new Secret(clientKey ?? '') }),
      };
      const credential =
        clientAssertion !== undefined
          ? { clientAssertion: () => credentials.of(name, environment).clientAssertion }
          : clientKey === undefined
            ? { clientSecret: new Secret(clientSecret) }
            : {
                clientKey: new Secret(clientKey),
                ...(clientCertificate !== undefined && { clientCertificate }),
              };
      return [
        environment,
        {
          ...(!shared && { tokenUrl: addresses.tokenUrl(pair) }),
          baseUrl: addresses.baseUrl(pair),
          clientId,
          ...(!isCertified && credential),
          ...(Object.keys(tls).length > 0 && { tls }),
          ...(assertion?.audience === 'issuer' && { issuer: addresses.issuer(pair) }),
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
  tlsFiles = {},
}: ClientSettings): Record<string, string> {
  const variables: Record<string, string> = { [environmentSetting(catalogue).variable]: environment };
  for (const pair of catalogue.pairs) {
    const { clientId, clientSecret, clientKey, clientCertificate, clientAssertion } = credentials.of(
      pair.interface,
      pair.environment,
    );
    const isCertified = catalogue.entryOf(pair.interface).clientAuth === 'tls_client_auth';
    const fileWith = (kind: KeyFileKind, pem = ''): string => keyFileOf?.(pair, pem, kind) ?? '';
    const values: Record<string, string> = {
      tokenUrl: addresses.tokenUrl(pair),
      baseUrl: addresses.baseUrl(pair),
      clientId,
      clientSecret,
      issuer: addresses.issuer(pair),
      ...(clientAssertion !== undefined && { clientAssertion: fileWith('assertion', clientAssertion) }),
      ...(clientKey !== undefined && { [isCertified ? 'key' : 'clientKey']: fileWith('key', clientKey) }),
      ...(clientCertificate !== undefined && {
        [isCertified ? 'cert' : 'clientCertificate']: fileWith('cert', clientCertificate),
      }),
    };
    for (const { member, variable } of settingsOf(catalogue, pair))
      variables[variable] = values[member] ?? '';
    for (const { member, variable } of settingsOfPair(catalogue, pair))
      if (tlsFiles[member] !== undefined) variables[variable] ??= tlsFiles[member];
  }
  return variables;
}
