import {
  type AnyPair,
  type AssertionEntry,
  type Catalogue,
  CREDENTIAL_OPTIONS,
} from '../catalogue/catalogue.js';
import type { CredentialKind } from '../errors/setting-names.js';
import type { ClientTls } from '../net/client-tls.js';
import { ClientCredential, type SecretSource } from '../secrets/client-credential.js';
import { Secret } from '../secrets/secret.js';
import type { OptionsNode } from './options-node.js';
import type { Profile } from './options/profile.js';
import { normalBaseUrl, normalTokenUrl } from './rules/url-rules.js';
import { readSettings, readSource } from './read-rows.js';
import { CREDENTIAL_KINDS, signingKeySource } from './secret-sources/client-key.js';
import { SETTINGS } from './table/settings.js';
import { readTls } from './tls-section.js';

/** A profile before the active environments are known. */
export type InactiveProfile = Omit<Profile, 'active'>;

/** One environment that was read. */
export interface EnvironmentReading {
  readonly node: OptionsNode;
  /** Undefined if the environments share a token URL, or if it is wrong. In the form in which URLs are compared. */
  readonly tokenUrl: string | undefined;
  readonly clientId: string | undefined;
  /** Undefined if the environment has a problem. */
  readonly profile: InactiveProfile | undefined;
  readonly hasTls: boolean;
}

/**
 * Reads one environment.
 *
 * @param shared the token URL of the interface, if its environments share one.
 */
export async function readEnvironment(
  catalogue: Catalogue,
  pair: AnyPair,
  node: OptionsNode,
  shared: { readonly tokenUrl: string | undefined; readonly name: string },
): Promise<EnvironmentReading> {
  const terms = catalogue.entryOf(pair.interface);
  const { assertion } = terms;
  const { values, isRight } = readSettings(node, SETTINGS.environment, {
    catalogue,
    interface: pair.interface,
  });
  const { baseUrl, clientId } = values;
  const own = values.tokenUrl === undefined ? undefined : normalTokenUrl(values.tokenUrl);
  const isShared = terms.tokenUrlPer === 'interface';
  const tokenUrl = isShared && shared.tokenUrl !== undefined ? normalTokenUrl(shared.tokenUrl) : own;
  const { isSet: hasTls, tls, names } = await readTls(catalogue, { ...pair, provider: catalogue.name }, node);
  const member = CREDENTIAL_OPTIONS[terms.clientAuth ?? 'post'];
  const given =
    member === 'tls'
      ? tls && certificateSource(tls)
      : isRight && readSource(node, member, values[member], CREDENTIAL_KINDS[member](catalogue.name));
  const source = assertion && given ? signingSource(node, given, values, assertion) : given;
  const isWhole = isRight && tokenUrl !== undefined && baseUrl !== undefined;
  const profile = isWhole &&
    source && {
      provider: catalogue.name,
      interface: pair.interface,
      environment: pair.environment,
      // Not inherited from a polluted `Object.prototype`: it is part of what a stored token is bound to (B36).
      account: undefined,
      names: Object.freeze({
        tokenUrl: isShared ? shared.name : node.nameOf('tokenUrl'),
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
  return { node, tokenUrl: own, clientId, profile: profile || undefined, hasTls };
}

const CREDENTIALS = {
  clientSecret: 'secret',
  clientKey: 'key',
  clientAssertion: 'assertion',
  tls: 'certificate',
} as const satisfies Record<string, CredentialKind>;

/** The certificate that stands for the client at the token endpoint (RFC 8705). It is no secret, and not compared with others. */
function certificateSource(tls: ClientTls): SecretSource {
  return Object.freeze({ read: () => Promise.resolve(new ClientCredential(tls.certificate() ?? '')) });
}

/** Undefined if the parts do not fit together. */
function signingSource(
  node: OptionsNode,
  key: SecretSource,
  { clientCertificate, keyId }: { readonly clientCertificate: unknown; readonly keyId: string | undefined },
  assertion: AssertionEntry,
): SecretSource | undefined {
  const kind = CREDENTIAL_KINDS.clientCertificate();
  const certificate = readSource(node, 'clientCertificate', clientCertificate, kind);
  const placeOf = node.placeOf.bind(node);
  const source = signingKeySource({ key, certificate, assertion, keyId, placeOf });
  const misfit = source.misfitAtBoot();
  if (misfit === undefined) return source;
  node.refuse(misfit.member, misfit.flaw);
  return undefined;
}
