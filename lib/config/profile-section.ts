import type { ProviderPair } from '../catalogue/provider-catalogue.js';
import { Secret } from '../secrets/secret.js';
import type { SecretSource } from '../secrets/secret-source.js';
import { fillForm, membersOf } from './form.js';
import type { OptionsNode } from './options-node.js';
import { parsedUrl } from './parsed-url.js';
import type { Profile } from './profile.js';
import { EnvironmentForm, EnvironmentWithTokenUrlForm, type SharedTokenUrlForm } from './profile-forms.js';
import { SecretFile } from './secret-file.js';
import { FixedSecret, SecretFunction } from './secret-sources.js';
import { flawOfCredential } from './text-rules.js';
import { normalBaseUrl, normalTokenUrl } from './url-rules.js';

/** A profile before it is known which environments the plain injections mean. */
export type InactiveProfile = Omit<Profile, 'active'>;

/** One environment as it was read. */
export interface EnvironmentReading {
  readonly node: OptionsNode;
  readonly form: EnvironmentForm;
  /** Undefined when something is wrong. */
  readonly profile: InactiveProfile | undefined;
}

/** One environment of an interface, whose token URL stands beside the environments (`shared`) or in each of them. */
export function readEnvironment(
  pair: ProviderPair,
  node: OptionsNode,
  shared: SharedTokenUrlForm | undefined,
): EnvironmentReading {
  const form =
    shared === undefined
      ? new EnvironmentWithTokenUrlForm(pair.interface)
      : new EnvironmentForm(pair.interface);
  const right = fillForm(form, node);
  node.refuseUnknown(membersOf(shared === undefined ? EnvironmentWithTokenUrlForm : EnvironmentForm), {
    tokenUrl: `belongs one level up: one token URL serves all environments of ${pair.interface}.`,
  });
  const tokenUrl = form instanceof EnvironmentWithTokenUrlForm ? form.tokenUrl : shared?.tokenUrl;
  return { node, form, profile: right ? profileOf(pair, form, tokenUrl, node) : undefined };
}

/** Each environment has credentials of its own (S5); one client id in two of them would mix their tokens up. */
export function refuseSharedClientIds(readings: readonly EnvironmentReading[]): void {
  for (const [index, { node, form }] of readings.entries()) {
    const twin = readings.slice(0, index).find((earlier) => sameClientId(earlier.form, form));
    if (twin !== undefined)
      node.refuse(
        'clientId',
        `is the same as ${twin.node.nameOf('clientId')}. Each environment has credentials of its own: put each in its place.`,
      );
  }
}

function sameClientId(one: EnvironmentForm, other: EnvironmentForm): boolean {
  return (
    typeof one.clientId === 'string' &&
    typeof other.clientId === 'string' &&
    flawOfCredential(one.clientId) === undefined &&
    new Secret(one.clientId).equals(new Secret(other.clientId))
  );
}

function profileOf(
  pair: ProviderPair,
  { baseUrl, clientId, clientSecret }: EnvironmentForm,
  tokenUrl: string | undefined,
  node: OptionsNode,
): InactiveProfile | undefined {
  const source = sourceOf(clientSecret, node);
  if (baseUrl === undefined || clientId === undefined || source === undefined) return undefined;
  // A common token URL may be wrong by itself; that has been told already.
  if (tokenUrl === undefined || parsedUrl(tokenUrl) === undefined) return undefined;
  return {
    interface: pair.interface,
    environment: pair.environment,
    tokenUrl: normalTokenUrl(tokenUrl),
    baseUrl: normalBaseUrl(baseUrl),
    clientId: new Secret(clientId),
    clientSecret: source,
  };
}

function sourceOf(
  clientSecret: EnvironmentForm['clientSecret'],
  node: OptionsNode,
): SecretSource | undefined {
  if (typeof clientSecret === 'string') return new FixedSecret(clientSecret);
  const given = clientSecret?.open();
  if (typeof given === 'function')
    return new SecretFunction(node.method(given), { path: node.pathOf('clientSecret'), env: undefined });
  return given instanceof SecretFile ? given : undefined;
}
