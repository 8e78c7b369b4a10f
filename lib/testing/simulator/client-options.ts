import { type AnyPair, type Catalogue, CREDENTIAL_OPTIONS } from '../../catalogue/catalogue.js';
import { type UncheckedOptions, valueAt } from '../../config/process-env/read-variables.js';
import { allVariables } from '../../config/process-env/variable-names.js';
import { Secret } from '../../secrets/secret.js';
import type { Addresses } from './addresses.js';
import type { ClientCheck } from './client-check.js';

export interface ClientSettings {
  readonly catalogue: Catalogue;
  readonly addresses: Pick<Addresses, 'tokenUrl' | 'baseUrl' | 'issuer'>;
  readonly clients: Pick<ClientCheck, 'of'>;
  /** The active environment. */
  readonly environment: string;
}

export interface ClientFiles {
  /** Writes a key, a certificate or an assertion, for which a variable only names a file. Returns the path. */
  readonly write: (name: string, content: string) => string;
  /** The files for those members of `tls` that a pair does not have itself. */
  readonly tls?: Readonly<Partial<Record<string, string>>>;
}

/**
 * Complete options that lead to these addresses: all interfaces, all environments.
 *
 * @param tls that of each pair: what the application trusts, and its certificate if the server demands one.
 */
export function clientOptions(settings: ClientSettings, tls: object, overrides: object): UncheckedOptions {
  const { catalogue, addresses, environment } = settings;
  const interfaces: Record<string, Record<string, unknown>> = {};
  for (const pair of catalogue.pairs) {
    const isShared = catalogue.entryOf(pair.interface).tokenUrlPer === 'interface';
    const tokenUrl = addresses.tokenUrl(pair);
    const of = (interfaces[pair.interface] ??= isShared ? { tokenUrl } : {});
    of[pair.environment] = { ...(!isShared && { tokenUrl }), ...optionsOfPair(settings, pair, tls) };
  }
  return { environment, interfaces, ...overrides };
}

function optionsOfPair(
  { catalogue, addresses, clients }: ClientSettings,
  pair: AnyPair,
  tls: object,
): object {
  const { assertion, clientAuth = 'post' } = catalogue.entryOf(pair.interface);
  const { clientId, clientSecret, clientKey = '', clientCertificate: cert } = clients.of(pair);
  const key = new Secret(clientKey);
  const credentials = {
    clientSecret: { clientSecret: new Secret(clientSecret) },
    clientKey: { clientKey: key, ...(cert !== undefined && { clientCertificate: cert }) },
    // The platform has a new assertion for each token request.
    clientAssertion: { clientAssertion: () => clients.of(pair).clientAssertion },
    tls: { tls: { ...tls, key, cert } },
  };
  return {
    baseUrl: addresses.baseUrl(pair),
    clientId,
    ...(assertion?.audience === 'issuer' && { issuer: addresses.issuer(pair) }),
    ...(Object.keys(tls).length > 0 && { tls }),
    ...credentials[CREDENTIAL_OPTIONS[clientAuth]],
  };
}

/** What a file of this member holds. It is part of the name of the file. */
const KINDS: Readonly<Record<string, string>> = {
  clientAssertion: 'assertion',
  clientKey: 'key',
  key: 'key',
  clientCertificate: 'cert',
  cert: 'cert',
};

/** The same options as variables. */
export function clientEnvironment(settings: ClientSettings, { write, tls = {} }: ClientFiles) {
  const options = clientOptions(settings, {}, {});
  const variables: Record<string, string> = {};
  for (const { name, member, path, isFile, isRequired } of allVariables(settings.catalogue)) {
    const [, of, environment] = path.split('.');
    const value = isRequired ? textAt(options, path) : undefined;
    const file = path.endsWith(`.tls.${member}`) ? tls[member] : undefined;
    if (value !== undefined && isFile)
      variables[name] = write(`${of}.${environment}.${KINDS[member]}.pem`, value);
    else if (value !== undefined || file !== undefined) variables[name] = value ?? file ?? '';
  }
  return variables;
}

function textAt(options: object, path: string): string | undefined {
  const text = valueAt(options, path) as string | Secret | (() => string) | undefined;
  if (text instanceof Secret) return text.reveal();
  return typeof text === 'function' ? text() : text;
}
