import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyPair, type Catalogue, capitals, CREDENTIAL_OPTIONS } from '../catalogue/catalogue.js';
import { OWN_CREDENTIALS } from '../errors/troubles.js';
import type { CredentialKind, SettingNames } from '../errors/setting-names.js';
import type { ClientTls } from '../net/client-tls.js';
import { ClientCredential } from '../secrets/client-credential.js';
import { Secret } from '../secrets/secret.js';
import { memberOf } from '../values/objects.js';
import { safely, workingFolder } from '../values/safely.js';
import { EnvironmentOptions, InterfaceSettings } from './options/environment-options.js';
import type { Profile } from './options/profile.js';
import { valueAt } from './process-env/read-variables.js';
import { requiredOf } from './process-env/variable-names.js';
import { normalBaseUrl } from './rules/url-rules.js';
import {
  type CredentialOption,
  credentialSource,
  signingKeySource,
  wholeKey,
} from '../secrets/client-key.js';
import type { SecretSource } from '../secrets/secret-source.js';
import { isSection, refuseUnknown } from './setting.js';
import { readTls } from './tls-section.js';
import type { Validation } from './validation.js';

/** One environment of an interface: what its options say, and the profile that they make if nothing is wrong. */
interface Environment {
  readonly path: string;
  readonly clientId: string | undefined;
  /** In the form in which URLs are compared. */
  readonly tokenUrl: string | undefined;
  /** The credential, if it was read. Only the boot needs it, and a secret that is replaced must not stay in memory. */
  readonly atBoot: ClientCredential | undefined;
  readonly profile: Omit<Profile, 'active'> | undefined;
  readonly tls: ClientTls | undefined;
}

export async function readInterfaces(validation: Validation, interfaces: object) {
  const { catalogue, configured, report } = validation;
  const readings: Environment[] = [];
  refuseUnknown(interfaces, catalogue.interfaces, { path: 'interfaces', report });
  if (configured.size === 0) report('interfaces', flawOfNoInterface(validation));
  for (const [name, environments] of configured) {
    const path = `interfaces.${name}`;
    const own = memberOf(interfaces, name);
    if (!isSection(own, path, report)) continue;
    readings.push(...(await readInterface(validation, name, own, environments)));
    if (environments.length === 0) validation.add({ path, message: flawOfNoEnvironment(validation, name) });
  }
  return readings;
}

async function readInterface(
  validation: Validation,
  name: string,
  own: object,
  environments: readonly string[],
): Promise<Environment[]> {
  const { catalogue, report } = validation;
  const path = `interfaces.${name}`;
  const others = catalogue.environments;
  const { tokenUrl } = validation.read(InterfaceSettings, own, path, { of: name, others });
  const readings: Environment[] = [];
  // One after the other, so that the problems have the order of the options.
  for (const environment of environments) {
    const given = memberOf(own, environment);
    const pair = { provider: catalogue.name, interface: name, environment };
    if (isSection(given, `${path}.${environment}`, report))
      readings.push(await readEnvironment(validation, pair, given, tokenUrl));
  }
  for (const member of catalogue.entryOf(name).unshared ?? [])
    refuseShared(validation, readings, member, name);
  return readings.map((one) => ({
    ...one,
    profile: one.profile && { ...one.profile, sameSecretAs: sameSecretAs(one, readings) },
  }));
}

/** @param shared the token URL of the interface, if its environments share one. */
async function readEnvironment(
  validation: Validation,
  pair: Catalogue['pairs'][number],
  given: object,
  shared: string | undefined,
): Promise<Environment> {
  const { catalogue, placeOf } = validation;
  const path = `interfaces.${pair.interface}.${pair.environment}`;
  const terms = catalogue.entryOf(pair.interface);
  const options: Partial<EnvironmentOptions> = validation.read(EnvironmentOptions, given, path, {
    of: pair.interface,
  });
  const { baseUrl, clientId } = options;
  const member = CREDENTIAL_OPTIONS[terms.clientAuth ?? 'post'];
  const names = namesOf(validation, pair, member);
  const tls = await readTls(validation, { pair, names }, given, options.tls);
  const placeIn = (member: string) => placeOf(`${path}.${member}`);
  const sourceIn = (member: CredentialOption) =>
    validation.trying(async () => {
      const value = options[member];
      if (value === undefined) return undefined;
      const source = credentialSource(given, member, placeIn(member), catalogue.name);
      return { source, atBoot: typeof value === 'function' ? undefined : await source.read() };
    });
  const read =
    member === 'tls' ? tls && { source: certificateSource(tls), atBoot: undefined } : await sourceIn(member);
  // Read in any case, for its problems.
  const certificate = await sourceIn('clientCertificate');
  let source = read?.source;
  if (source && terms.assertion) {
    const settings = { assertion: terms.assertion, keyId: options.keyId, placeOf: placeIn };
    source = signingKeySource(source, certificate?.source, settings);
    const key = read?.atBoot;
    const hasNoCertificate = options.clientCertificate === undefined;
    if (key && (certificate?.atBoot ?? hasNoCertificate))
      await validation.trying(() => wholeKey(settings, key, certificate?.atBoot));
  }
  const hasAgent = valueAt(validation.options, 'http.httpsAgent') !== undefined;
  // The interface or the environment has a token URL, never both.
  const address = options.tokenUrl ?? shared;
  const tokenUrl = address === undefined ? undefined : new URL(address).href;
  const profile = tokenUrl !== undefined &&
    baseUrl !== undefined &&
    source && {
      ...pair,
      // Not inherited from a polluted `Object.prototype`: it is part of what a stored token is bound to.
      account: undefined,
      names: hasAgent ? Object.freeze({ ...names, ...NAMES_WITH_AGENT }) : names,
      tokenUrl,
      baseUrl: normalBaseUrl(baseUrl),
      clientId: clientId === undefined ? undefined : new Secret(clientId),
      clientSecret: source,
      credential: CREDENTIALS[member],
      issuer: options.issuer,
      terms,
      tls,
    };
  return { path, tokenUrl, clientId, atBoot: read?.atBoot, profile: profile || undefined, tls };
}

/**
 * The setting of another environment with the same client secret: one of the two is probably in the wrong place (S5). A secret
 * that is not read at boot is not compared, and one assertion may be meant for several environments.
 */
function sameSecretAs(one: Environment, all: readonly Environment[]): string | undefined {
  const twin = all.find(
    (other) =>
      other !== one &&
      other.profile &&
      other.profile.credential !== 'assertion' &&
      // No caller can measure the boot, so a slow comparison in constant time would protect nothing.
      one.atBoot?.reveal() === other.atBoot?.reveal() &&
      // A definition may have one client for both environments.
      one.clientId !== other.clientId,
  );
  return one.atBoot && twin?.profile?.names.clientSecret;
}

/** What the settings of a pair are called where their values came from, or would come from. */
function namesOf(
  { catalogue, nameOf }: Validation,
  { interface: name, environment }: AnyPair,
  credential: string,
): SettingNames {
  const { tokenUrlPer, assertion } = catalogue.entryOf(name);
  const shared = `interfaces.${name}`;
  const own = `${shared}.${environment}`;
  const nameIn = (member: string): string => nameOf(`${own}.${member}`);
  return Object.freeze({
    tokenUrl: nameOf(`${tokenUrlPer === 'interface' ? shared : own}.tokenUrl`),
    baseUrl: nameIn('baseUrl'),
    clientId: nameIn('clientId'),
    clientSecret: nameIn(credential === 'tls' ? 'tls.cert' : credential),
    keyId: assertion && nameIn('keyId'),
    clientCertificate: assertion?.certificate && nameIn('clientCertificate'),
    issuer: assertion?.audience === 'issuer' ? nameIn('issuer') : undefined,
    ca: nameIn('tls.ca'),
    cert: nameIn('tls.cert'),
    key: nameIn('tls.key'),
  });
}

/** With an agent, `tls` is refused, so advice names the options of the agent. */
const NAMES_WITH_AGENT = {
  ca: 'ca of http.httpsAgent',
  cert: 'cert of http.httpsAgent',
  key: 'key of http.httpsAgent',
};

const CREDENTIALS = {
  clientSecret: 'secret',
  clientKey: 'key',
  clientAssertion: 'assertion',
  tls: 'certificate',
} as const satisfies Record<string, CredentialKind>;

/** The certificate that stands for the client at the token endpoint (RFC 8705). It is no secret, and not compared with others. */
function certificateSource(tls: ClientTls): SecretSource {
  return Object.freeze({
    async read(isAgain = false) {
      if (isAgain) await tls.readAgainSince(tls.version);
      return new ClientCredential(tls.certificate() ?? '');
    },
  });
}

/**
 * If the client id decides the environment, two environments with the same client id would mix up their tokens (S5). If each
 * environment has its own token URL (S4), the same URL in two environments is wrong in one of them.
 */
function refuseShared(
  { report, nameOf }: Validation,
  readings: readonly Environment[],
  member: 'clientId' | 'tokenUrl',
  name: string,
): void {
  const remedy =
    member === 'clientId'
      ? OWN_CREDENTIALS
      : `Each environment of ${name} has its own token URL: put each in its place.`;
  for (const [index, { path, [member]: value }] of readings.entries()) {
    const twin = readings.slice(0, index).find((earlier) => earlier[member] === value);
    if (twin !== undefined && value !== undefined)
      report(`${path}.${member}`, `is the same as ${nameOf(`${twin.path}.${member}`)}. ${remedy}`);
  }
}

function flawOfNoInterface({ catalogue, origin, surroundings }: Validation): string {
  const { settingsFile } = surroundings;
  if (origin === undefined) return `configures no interface. Add ${catalogue.interfaces.join(' or ')}.`;
  const beginnings = catalogue.interfaces.map(
    (name) => `${[catalogue.name, name].map(capitals).join('_')}_…`,
  );
  return `configures no interface: no variable for an address or the client's credentials, such as ${beginnings.join(' or ')}, is set. ${settingsFile === undefined ? adviceOnMissingVariables(catalogue) : `Add them to ${settingsFile}.`}`;
}

/** Names all settings that an environment needs, because no other problem names them. */
function flawOfNoEnvironment({ catalogue, origin }: Validation, name: string): string {
  const choices = catalogue.environments.map((environment) => {
    const required = requiredOf(catalogue, { interface: name, environment }, false);
    const inside = `interfaces.${name}.${environment}.`.length;
    return `for ${environment} ${required.map((one) => (origin === undefined ? one.path.slice(inside) : one.name)).join(', ')}`;
  });
  return `has no environment. Set ${choices.join('; or ')}.`;
}

/**
 * What to do if no variable of any interface is set. Most often the variables are in a `.env` file that the process
 * does not read, while the doctor reads it and finds nothing wrong.
 */
function adviceOnMissingVariables({ name, interfaces }: Catalogue): string {
  const folder = workingFolder();
  const text = safely(() => readFileSync(join(folder, '.env'), 'utf8'), '');
  const owner = `${capitals(name)}_(?:${interfaces.map(capitals).join('|')})`;
  // Other than the variable that chooses the environment.
  const isThere = new RegExp(`^(?:export )?${owner}_(?!ENVIRONMENT=)\\w+=\\S`, 'm').test(text);
  return isThere
    ? `The file .env in the working directory, ${folder}, has such variables, but it was not read. Import ConfigModule.forRoot() in the root module. If you do, its envFilePath names another file.`
    : `Pass them to this process. If they are in a .env file: ConfigModule.forRoot() reads it from the working directory, which is ${folder}. With envFilePath, it reads other files. Variables without a value do not count.`;
}
