import type { AnyPair, Catalogue } from '../catalogue/catalogue.js';
import { Secret } from '../secrets/secret.js';
import type { SecretSource } from '../secrets/secret-source.js';
import { readSettings } from './option-shape.js';
import type { OptionsNode } from './options-node.js';
import type { Profile } from './options/profile.js';
import { normalBaseUrl, normalTokenUrl } from './rules/url-rules.js';
import { SecretFile } from './secret-sources/secret-file.js';
import {
  CLIENT_KEY,
  clientSecretOf,
  FixedSecret,
  SecretFunction,
  type SecretKind,
} from './secret-sources/secret-sources.js';
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
export function readEnvironment(
  catalogue: Catalogue,
  pair: AnyPair,
  node: OptionsNode,
  shared: { readonly tokenUrl: string | undefined; readonly name: string },
): EnvironmentReading {
  const { clientAuth, scope, audience, resource, tokenUrlPer } = catalogue.entryOf(pair.interface);
  const { values, isRight } = readSettings(node, SETTINGS.environment, {
    catalogue,
    interface: pair.interface,
  });
  const { baseUrl, clientId, keyId } = values;
  const own = values.tokenUrl === undefined ? undefined : normalTokenUrl(values.tokenUrl);
  const isShared = tokenUrlPer === 'interface';
  const tokenUrl = isShared && shared.tokenUrl !== undefined ? normalTokenUrl(shared.tokenUrl) : own;
  const hasKey = clientAuth === 'private_key_jwt';
  const [member, kind] = hasKey
    ? (['clientKey', CLIENT_KEY] as const)
    : (['clientSecret', clientSecretOf(catalogue.name)] as const);
  const source = isRight ? sourceOf(node, member, values[member], kind) : undefined;
  const { isSet: hasTls, tls, names } = readTls(catalogue, node);
  const isWhole = tokenUrl !== undefined && baseUrl !== undefined && clientId !== undefined;
  const profile = isWhole &&
    source !== undefined && {
      provider: catalogue.name,
      interface: pair.interface,
      environment: pair.environment,
      names: Object.freeze({
        tokenUrl: isShared ? shared.name : node.nameOf('tokenUrl'),
        baseUrl: node.nameOf('baseUrl'),
        clientId: node.nameOf('clientId'),
        clientSecret: node.nameOf(member),
        ...(hasKey && { keyId: node.nameOf('keyId') }),
        ...names,
      }),
      tokenUrl,
      baseUrl: normalBaseUrl(baseUrl),
      clientId: new Secret(clientId),
      clientSecret: source,
      credential: hasKey ? ('key' as const) : ('secret' as const),
      tokenRequest: { clientAuth, scope, audience, resource, keyId },
      tls,
    };
  return { node, tokenUrl: own, clientId, profile: profile || undefined, hasTls };
}

function sourceOf(
  node: OptionsNode,
  member: string,
  value: unknown,
  kind: SecretKind,
): SecretSource | undefined {
  if (typeof value === 'function')
    return new SecretFunction(node.method(value), { path: node.pathOf(member), env: undefined }, kind);
  if (value instanceof SecretFile) return value;
  return value === undefined ? undefined : new FixedSecret(kind.textOf(value));
}
