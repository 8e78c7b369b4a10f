import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AnyPair, capitals, type Catalogue } from '../../catalogue/catalogue.js';
import type { UncheckedOptions } from '../../config/process-env/read-variables.js';
import { settingsOf, settingsOfPair } from '../../config/process-env/variable-names.js';
import { Secret } from '../../secrets/secret.js';
import type { Addresses } from './addresses.js';
import type { ClientCheck } from './client-check.js';

/** What a file holds. It is part of the name of the file. */
type KeyFileKind = 'key' | 'cert' | 'assertion';

export interface ClientSettings {
  readonly catalogue: Catalogue;
  readonly addresses: Pick<Addresses, 'tokenUrl' | 'baseUrl' | 'issuer'>;
  readonly clients: Pick<ClientCheck, 'of'>;
  readonly environment: string;
}

export interface ClientFiles {
  /** Chooses the file of a private key, its certificate or an assertion, because variables only name files for these. */
  readonly keyFileOf: (pair: AnyPair, content: string, kind: KeyFileKind) => string;
  readonly tlsFiles?: Readonly<Partial<Record<string, string>>> | undefined;
}

/** The values of a pair's settings by their members, as a variable or a file has them. Empty texts do not count. */
function valuesOf({ catalogue, addresses, clients }: ClientSettings, pair: AnyPair): Record<string, string> {
  const { assertion, clientAuth } = catalogue.entryOf(pair.interface);
  const { clientId, clientSecret, clientKey, clientCertificate, clientAssertion } = clients.of(
    pair.interface,
    pair.environment,
  );
  const isCertified = clientAuth === 'tls_client_auth';
  const hasSecret = clientKey === undefined && clientAssertion === undefined;
  return {
    tokenUrl: addresses.tokenUrl(pair),
    baseUrl: addresses.baseUrl(pair),
    clientId,
    clientSecret: hasSecret ? clientSecret : '',
    clientAssertion: clientAssertion ?? '',
    [isCertified ? 'key' : 'clientKey']: clientKey ?? '',
    [isCertified ? 'cert' : 'clientCertificate']: clientCertificate ?? '',
    issuer: assertion?.audience === 'issuer' ? addresses.issuer(pair) : '',
  };
}

/**
 * Complete options that lead to these addresses: all interfaces, all environments.
 *
 * @param tls that of each pair: what the application trusts, and its certificate if the server demands one.
 */
export function clientOptions(settings: ClientSettings, tls: object, overrides: object): UncheckedOptions {
  const { catalogue, addresses, environment } = settings;
  const [first = ''] = catalogue.environments;
  const interfaces = catalogue.interfaces.map((name) => {
    const isShared = catalogue.entryOf(name).tokenUrlPer === 'interface';
    const pairs = catalogue.environments.map(
      (of) => [of, optionsOfPair(settings, { interface: name, environment: of }, tls)] as const,
    );
    const tokenUrl = addresses.tokenUrl({ interface: name, environment: first });
    return [name, { ...(isShared && { tokenUrl }), ...Object.fromEntries(pairs) }] as const;
  });
  return { environment, interfaces: Object.fromEntries(interfaces), ...overrides };
}

const SECRETS: ReadonlySet<string> = new Set(['clientSecret', 'clientKey', 'key']);

function optionsOfPair(settings: ClientSettings, pair: AnyPair, ofAll: object): object {
  const isShared = settings.catalogue.entryOf(pair.interface).tokenUrlPer === 'interface';
  const options: Record<string, unknown> = {};
  const tls: Record<string, unknown> = { ...ofAll };
  for (const [member, value] of Object.entries(valuesOf(settings, pair)))
    if (value !== '' && !(isShared && member === 'tokenUrl'))
      (member === 'key' || member === 'cert' ? tls : options)[member] = SECRETS.has(member)
        ? new Secret(value)
        : value;
  // The platform has a new assertion for each token request.
  if ('clientAssertion' in options)
    options['clientAssertion'] = () => valuesOf(settings, pair)['clientAssertion'];
  return { ...options, ...(Object.keys(tls).length > 0 && { tls }) };
}

const IN_FILES: Readonly<Record<string, KeyFileKind>> = {
  clientAssertion: 'assertion',
  clientKey: 'key',
  key: 'key',
  clientCertificate: 'cert',
  cert: 'cert',
};

export function clientEnvironment(
  settings: ClientSettings,
  { keyFileOf, tlsFiles = {} }: ClientFiles,
): Record<string, string> {
  const { catalogue, environment } = settings;
  const variables: Record<string, string> = { [`${capitals(catalogue.name)}_ENVIRONMENT`]: environment };
  for (const pair of catalogue.pairs) {
    const values = valuesOf(settings, pair);
    for (const { member, variable } of settingsOf(catalogue, pair)) {
      const value = values[member] ?? '';
      const kind = IN_FILES[member];
      variables[variable] = kind === undefined || value === '' ? value : keyFileOf(pair, value, kind);
    }
    for (const { member, variable } of settingsOfPair(catalogue, pair))
      if (tlsFiles[member] !== undefined) variables[variable] ??= tlsFiles[member];
  }
  return variables;
}

/** Private keys in files that only this user can read. The folder is made when the first key is written. */
export class KeyFiles {
  #folder: string | undefined;

  readonly write: ClientFiles['keyFileOf'] = ({ interface: name, environment }, content, kind) => {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'provider-simulator-'));
    const file = join(this.#folder, `${name}.${environment}.${kind}.pem`);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  };

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }
}
