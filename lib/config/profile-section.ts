import type { AnyPair, Catalogue, InterfaceEntry } from '../catalogue/catalogue.js';
import type { NamedPair, SettingNames } from '../errors/setting-names.js';
import { Secret } from '../secrets/secret.js';
import { fillForm, membersOf } from './form.js';
import type { OptionsNode } from './options-node.js';
import { parsedUrl } from '../net/parsed-url.js';
import type { Profile } from './options/profile.js';
import { EnvironmentForm, EnvironmentWithTokenUrlForm, type SharedTokenUrlForm } from './profile-forms.js';
import { type CredentialReading, readCredential } from './credential-section.js';
import { flawOfCredential } from './rules/text-rules.js';
import { readTls, type TlsReading } from './tls-section.js';
import { flawOfTokenUrl, normalBaseUrl, normalTokenUrl } from './rules/url-rules.js';

/** A profile before the active environments are known. */
export type InactiveProfile = Omit<Profile, 'active'>;

/** One environment that was read. */
export interface EnvironmentReading {
  readonly node: OptionsNode;
  readonly form: EnvironmentForm;
  /** Undefined if the environment has a problem. */
  readonly profile: InactiveProfile | undefined;
  readonly hasTls: boolean;
}

/** The token URL that all environments of an interface share, and the object that contains it. */
export interface SharedTokenUrl {
  readonly node: OptionsNode;
  readonly form: SharedTokenUrlForm;
}

/** Reads one environment. Its token URL is in the environment, or `shared` with the other environments. */
export function readEnvironment(
  catalogue: Catalogue,
  pair: AnyPair,
  node: OptionsNode,
  shared: SharedTokenUrl | undefined,
): EnvironmentReading {
  const form =
    shared === undefined
      ? new EnvironmentWithTokenUrlForm(pair.interface, catalogue)
      : new EnvironmentForm(pair.interface, catalogue);
  const entry = catalogue.entryOf(pair.interface);
  const isFilled = fillForm(form, node);
  const credential = readCredential(node, catalogue.name, entry.clientAuth);
  const members = membersOf(shared === undefined ? EnvironmentWithTokenUrlForm : EnvironmentForm);
  node.refuseUnknown([...members, ...credential.members, 'tls'], {
    ...hintsFor(credential),
    tokenUrl: `belongs one level up: one token URL serves all environments of ${pair.interface}.`,
  });
  const tokenUrl = form instanceof EnvironmentWithTokenUrlForm ? form.tokenUrl : shared?.form.tokenUrl;
  const { isSet: hasTls, tls, names: tlsNames } = readTls(node);
  const names = namesIn(node, shared?.node ?? node, credential, tlsNames);
  const named = { ...pair, provider: catalogue.name, names };
  const profile = isFilled ? profileOf(named, form, tokenUrl, credential, entry) : undefined;
  return { node, form, profile: profile && { ...profile, tls }, hasTls };
}

/** Each environment has its own credentials (S5). With the same client id, tokens of two environments would be mixed up. */
export function refuseSharedClientIds(readings: readonly EnvironmentReading[]): void {
  refuseShared(
    readings,
    'clientId',
    sameClientId,
    'Each environment has its own credentials: put each in its place.',
  );
}

/** If each environment has its own token URL (S4), the same URL in two environments is wrong in one of them. */
export function refuseSharedTokenUrls(
  catalogue: Catalogue,
  name: string,
  readings: readonly EnvironmentReading[],
): void {
  refuseShared(
    readings,
    'tokenUrl',
    (one, other) => sameTokenUrl(catalogue, name, one, other),
    `Each environment of ${name} has its own token URL: put each in its place.`,
  );
}

function refuseShared(
  readings: readonly EnvironmentReading[],
  member: 'clientId' | 'tokenUrl',
  isSame: (one: EnvironmentForm, other: EnvironmentForm) => boolean,
  remedy: string,
): void {
  for (const [index, { node, form }] of readings.entries()) {
    const twin = readings.slice(0, index).find((earlier) => isSame(earlier.form, form));
    if (twin !== undefined) node.refuse(member, `is the same as ${twin.node.nameOf(member)}. ${remedy}`);
  }
}

function sameTokenUrl(
  catalogue: Catalogue,
  of: string,
  one: EnvironmentForm,
  other: EnvironmentForm,
): boolean {
  const [left, right] = [one, other].map((form) => {
    const tokenUrl = form instanceof EnvironmentWithTokenUrlForm ? form.tokenUrl : undefined;
    return tokenUrl !== undefined && flawOfTokenUrl(tokenUrl, of, catalogue) === undefined
      ? normalTokenUrl(tokenUrl)
      : undefined;
  });
  return left !== undefined && left === right;
}

function sameClientId(one: EnvironmentForm, other: EnvironmentForm): boolean {
  return (
    typeof one.clientId === 'string' &&
    typeof other.clientId === 'string' &&
    flawOfCredential(one.clientId) === undefined &&
    new Secret(one.clientId).equals(new Secret(other.clientId))
  );
}

function namesIn(
  node: OptionsNode,
  ofTokenUrl: OptionsNode,
  credential: CredentialReading,
  ofTls: TlsReading['names'],
): SettingNames {
  return Object.freeze({
    tokenUrl: ofTokenUrl.nameOf('tokenUrl'),
    baseUrl: node.nameOf('baseUrl'),
    clientId: node.nameOf('clientId'),
    clientSecret: credential.name,
    ...(credential.keyIdName !== undefined && { keyId: credential.keyIdName }),
    ...ofTls,
  });
}

function profileOf(
  pair: NamedPair & { readonly provider: string },
  { baseUrl, clientId }: EnvironmentForm,
  tokenUrl: string | undefined,
  { source, keyId, credential }: CredentialReading,
  { clientAuth, scope, audience, resource }: InterfaceEntry,
): InactiveProfile | undefined {
  if (baseUrl === undefined || clientId === undefined || source === undefined) return undefined;
  // A shared token URL has its own form, which reports its problems.
  if (tokenUrl === undefined || parsedUrl(tokenUrl) === undefined) return undefined;
  return {
    provider: pair.provider,
    interface: pair.interface,
    environment: pair.environment,
    names: pair.names,
    tokenUrl: normalTokenUrl(tokenUrl),
    baseUrl: normalBaseUrl(baseUrl),
    clientId: new Secret(clientId),
    clientSecret: source,
    credential,
    tokenRequest: { clientAuth, scope, audience, resource, keyId },
  };
}

/** For credentials of the other kind. */
function hintsFor({ credential }: CredentialReading): Readonly<Record<string, string>> {
  if (credential === 'secret') return {};
  return { clientSecret: 'is not used: this interface authenticates with a private key. Set clientKey.' };
}
