import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AssertionEntry, type Catalogue, capitals, CREDENTIAL_OPTIONS } from '../catalogue/catalogue.js';
import { OWN_CREDENTIALS } from '../errors/remedies.js';
import type { CredentialKind } from '../errors/setting-names.js';
import type { ClientTls } from '../net/client-tls.js';
import { ClientCredential, type SecretSource } from '../secrets/client-credential.js';
import { Secret } from '../secrets/secret.js';
import { safely } from '../values/safely.js';
import type { OptionsNode } from './options-node.js';
import type { Profile } from './options/profile.js';
import { settingsOfEnvironment } from './process-env/variable-names.js';
import { readSettings, readSource } from './read-rows.js';
import { normalBaseUrl, normalTokenUrl } from './rules/url-rules.js';
import { CREDENTIAL_KINDS, signingKeySource } from './secret-sources/client-key.js';
import { SETTINGS } from './table/settings.js';
import { readTls } from './tls-section.js';

interface Environment {
  readonly node: OptionsNode;
  /** In the form in which URLs are compared. Undefined if it is wrong. */
  readonly tokenUrl: string | undefined;
  readonly clientId: string | undefined;
  readonly profile: Omit<Profile, 'active'> | undefined;
  readonly hasTls: boolean;
}

export async function readInterfaces(catalogue: Catalogue, root: OptionsNode, settingsFile?: string) {
  const configured = new Map<string, readonly string[]>();
  const readings: Environment[] = [];
  const node = root.child('interfaces');
  node?.refuseUnknown(catalogue.interfaces);
  const given = catalogue.interfaces.filter((name) => node?.has(name));
  if (node !== undefined && given.length === 0) refuseNoInterface(catalogue, root, settingsFile);
  for (const name of given) {
    const own = node?.child(name);
    const environments = catalogue.environments.filter((environment) => own?.has(environment));
    configured.set(name, environments);
    if (node === undefined || own === undefined) continue;
    readings.push(...(await readInterface(catalogue, name, own)));
    if (environments.length === 0) refuseNoEnvironment(catalogue, name, node);
  }
  return {
    /** The environments of each interface, correct or wrong. The other checks then report only their own problems. */
    configured,
    profiles: readings.flatMap(({ profile }) => profile ?? []),
    /** The environments that have `tls`, right or wrong. */
    withTls: readings.flatMap(({ node: environment, hasTls }) => (hasTls ? [environment] : [])),
  };
}

async function readInterface(catalogue: Catalogue, name: string, node: OptionsNode): Promise<Environment[]> {
  const { environments, pairs, entryOf } = catalogue;
  const place = { catalogue, interface: name };
  const { tokenUrl } = readSettings(node, SETTINGS.interface, place, environments).values;
  const shared = { tokenUrl, name: node.nameOf('tokenUrl') };
  const readings = await Promise.all(
    pairs.flatMap((pair) => {
      const own = pair.interface === name ? node.child(pair.environment) : undefined;
      return own === undefined ? [] : [readEnvironment(catalogue, pair, own, shared)];
    }),
  );
  for (const member of entryOf(name).unshared ?? []) refuseShared(readings, member, name);
  return readings;
}

/** @param shared the token URL of the interface, if its environments share one. */
async function readEnvironment(
  catalogue: Catalogue,
  pair: Catalogue['pairs'][number],
  node: OptionsNode,
  shared: { readonly tokenUrl: string | undefined; readonly name: string },
): Promise<Environment> {
  const terms = catalogue.entryOf(pair.interface);
  const { assertion } = terms;
  const place = { catalogue, interface: pair.interface };
  const { values, isRight } = readSettings(node, SETTINGS.environment, place);
  const { baseUrl, clientId } = values;
  // The interface or the environment has a token URL, never both.
  const address = values.tokenUrl ?? shared.tokenUrl;
  const tokenUrl = address === undefined ? undefined : normalTokenUrl(address);
  const { isSet: hasTls, tls, names } = await readTls(catalogue, pair, node);
  const member = CREDENTIAL_OPTIONS[terms.clientAuth ?? 'post'];
  const given =
    member === 'tls'
      ? tls && certificateSource(tls)
      : readSource(node, member, values[member], CREDENTIAL_KINDS[member](catalogue.name));
  const source = assertion ? signingSource(node, given, values, assertion, isRight) : given;
  const isWhole = isRight && tokenUrl !== undefined && baseUrl !== undefined;
  const profile = isWhole &&
    source && {
      ...pair,
      // Not inherited from a polluted `Object.prototype`: it is part of what a stored token is bound to (B36).
      account: undefined,
      names: Object.freeze({
        tokenUrl: terms.tokenUrlPer === 'interface' ? shared.name : node.nameOf('tokenUrl'),
        baseUrl: node.nameOf('baseUrl'),
        clientId: node.nameOf('clientId'),
        clientSecret: member === 'tls' ? names.cert : node.nameOf(member),
        ...(assertion && {
          keyId: node.nameOf('keyId'),
          ...(assertion.certificate && { clientCertificate: node.nameOf('clientCertificate') }),
          ...(assertion.audience === 'issuer' && { issuer: node.nameOf('issuer') }),
        }),
        ...names,
      }),
      tokenUrl,
      baseUrl: normalBaseUrl(baseUrl),
      clientId: clientId === undefined ? undefined : new Secret(clientId),
      clientSecret: source,
      credential: CREDENTIALS[member],
      issuer: values.issuer,
      terms,
      tls,
    };
  return { node, tokenUrl, clientId, profile: profile || undefined, hasTls };
}

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

/** Reads the certificate in any case, for its problems. Undefined if anything is wrong, or if the parts do not fit together. */
function signingSource(
  node: OptionsNode,
  key: SecretSource | undefined,
  { clientCertificate, keyId }: { readonly clientCertificate: unknown; readonly keyId: string | undefined },
  assertion: AssertionEntry,
  isRight: boolean,
): SecretSource | undefined {
  const kind = CREDENTIAL_KINDS.clientCertificate();
  const certificate = readSource(node, 'clientCertificate', clientCertificate, kind);
  if (!isRight || !key || (clientCertificate !== undefined && !certificate)) return undefined;
  const placeOf = node.placeOf.bind(node);
  const source = signingKeySource({ key, certificate, assertion, keyId, placeOf });
  const misfit = source.misfitAtBoot();
  if (misfit === undefined) return source;
  node.refuse(misfit.member, misfit.flaw);
  return undefined;
}

/**
 * If the client id decides the environment, two environments with the same client id would mix up their tokens (S5). If each
 * environment has its own token URL (S4), the same URL in two environments is wrong in one of them.
 */
function refuseShared(readings: readonly Environment[], member: 'clientId' | 'tokenUrl', name: string): void {
  const remedy =
    member === 'clientId'
      ? OWN_CREDENTIALS
      : `Each environment of ${name} has its own token URL: put each in its place.`;
  for (const [index, { node, [member]: value }] of readings.entries()) {
    const twin = readings.slice(0, index).find((earlier) => earlier[member] === value);
    if (twin !== undefined && value !== undefined)
      node.refuse(member, `is the same as ${twin.node.nameOf(member)}. ${remedy}`);
  }
}

function refuseNoInterface(catalogue: Catalogue, root: OptionsNode, settingsFile?: string): void {
  const beginnings = catalogue.interfaces.map(
    (name) => `${[catalogue.name, name].map(capitals).join('_')}_…`,
  );
  root.refuse(
    'interfaces',
    root.origin === undefined
      ? `configures no interface. Add ${catalogue.interfaces.join(' or ')}.`
      : `configures no interface: no variable for an address or the client's credentials, such as ${beginnings.join(' or ')}, is set. ${settingsFile === undefined ? adviceOnMissingVariables(catalogue) : `Add them to ${settingsFile}.`}`,
  );
}

/** Names all settings that an environment needs, because no other problem names them. */
function refuseNoEnvironment(catalogue: Catalogue, name: string, interfaces: OptionsNode): void {
  const choices = catalogue.environments.map((environment) => {
    const settings = settingsOfEnvironment(catalogue, { interface: name, environment });
    return `for ${environment} ${settings.map(({ path, variable }) => (interfaces.origin === undefined ? path.split('.').slice(3).join('.') : variable)).join(', ')}`;
  });
  interfaces.refuse(name, `has no environment. Set ${choices.join('; or ')}.`);
}

/** A variable of an interface, other than the one that chooses its environment. */
function lineOf({ name, interfaces }: Catalogue): RegExp {
  const owner = `${capitals(name)}_(?:${interfaces.map(capitals).join('|')})`;
  return new RegExp(
    `^[ \\t]*(?:export[ \\t]+)?${owner}_(?!ENVIRONMENT[ \\t]*[=:])\\w+[ \\t]*[=:][ \\t]*\\S`,
    'm',
  );
}

/**
 * What to do if no variable of any interface is set (B29). Most often the variables are in a `.env` file that the process
 * does not read, while the doctor reads it and finds nothing wrong.
 */
function adviceOnMissingVariables(catalogue: Catalogue): string {
  // It throws if the directory was removed.
  const folder = safely(() => process.cwd(), '(unknown)');
  const text = safely(() => readFileSync(join(folder, '.env'), 'utf8'), '');
  return lineOf(catalogue).test(text)
    ? `The file .env in the working directory, ${folder}, has such variables, but it was not read. Import ConfigModule.forRoot() in the root module.`
    : `Pass them to this process. If they are in a .env file: ConfigModule.forRoot() reads it from the working directory, which is ${folder}.`;
}
