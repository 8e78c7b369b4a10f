import {
  PROVIDER_CATALOGUE,
  PROVIDER_ENVIRONMENTS,
  PROVIDER_INTERFACES,
  type ProviderEnvironment,
  type ProviderInterface,
} from '../catalogue/provider-catalogue.js';
import { adviceOnMissingVariables } from './process-env/unread-env-file.js';
import { settingsOfEnvironment } from './process-env/variable-names.js';
import { fillForm, membersOf } from './form.js';
import type { OptionsNode } from './options-node.js';
import { SharedTokenUrlForm } from './profile-forms.js';
import {
  type EnvironmentReading,
  type InactiveProfile,
  readEnvironment,
  refuseSharedClientIds,
  refuseSharedTokenUrls,
  type SharedTokenUrl,
} from './profile-section.js';

/** The environments of each interface, correct or wrong. The other checks then report only their own problems. */
export type ConfiguredInterfaces = ReadonlyMap<ProviderInterface, readonly ProviderEnvironment[]>;

export interface InterfacesSection {
  readonly configured: ConfiguredInterfaces;
  readonly profiles: readonly InactiveProfile[];
  /** The environments that have `tls`, right or wrong. */
  readonly withTls: readonly OptionsNode[];
}

/** Reads `interfaces`: every interface of the catalogue. */
export function readInterfaces(root: OptionsNode): InterfacesSection {
  const configured = new Map<ProviderInterface, readonly ProviderEnvironment[]>();
  const readings: EnvironmentReading[] = [];
  const node = root.child('interfaces');
  if (!root.has('interfaces'))
    root.refuse('interfaces', 'is missing. Configure at least one interface in it.');
  if (node === undefined) return { configured, profiles: [], withTls: [] };

  node.refuseUnknown(PROVIDER_INTERFACES);
  const given = PROVIDER_INTERFACES.filter((name) => node.has(name));
  if (given.length === 0) refuseNoInterface(root);
  for (const name of given) {
    const own = node.child(name);
    const environments = PROVIDER_ENVIRONMENTS.filter((environment) => own?.has(environment));
    configured.set(name, environments);
    if (own === undefined) continue;
    readings.push(...readInterface(name, own));
    if (environments.length === 0) refuseNoEnvironment(name, node);
  }
  return {
    configured,
    profiles: readings.flatMap(({ profile }) => profile ?? []),
    withTls: readings.flatMap(({ node: environment, hasTls }) => (hasTls ? [environment] : [])),
  };
}

function readInterface(name: ProviderInterface, node: OptionsNode): EnvironmentReading[] {
  if (PROVIDER_CATALOGUE[name].tokenUrlPer === 'environment') {
    node.refuseUnknown(PROVIDER_ENVIRONMENTS, {
      tokenUrl: `belongs one level down: each environment of ${name} has its own token URL.`,
    });
    return readEnvironments(name, node, undefined);
  }
  const shared = new SharedTokenUrlForm(name);
  fillForm(shared, node);
  node.refuseUnknown([...membersOf(SharedTokenUrlForm), ...PROVIDER_ENVIRONMENTS]);
  return readEnvironments(name, node, { node, form: shared });
}

function readEnvironments(
  name: ProviderInterface,
  node: OptionsNode,
  shared: SharedTokenUrl | undefined,
): EnvironmentReading[] {
  const readings = PROVIDER_ENVIRONMENTS.flatMap((environment) => {
    const own = node.child(environment);
    return own === undefined ? [] : [readEnvironment({ interface: name, environment }, own, shared)];
  });
  refuseSharedClientIds(readings);
  if (shared === undefined) refuseSharedTokenUrls(name, readings);
  return readings;
}

function refuseNoInterface(root: OptionsNode): void {
  const names = PROVIDER_INTERFACES.join(' or ');
  root.refuse(
    'interfaces',
    root.origin === undefined
      ? `configures no interface. Add ${names}.`
      : `configures no interface: none of the variables of ${names} is set. ${adviceOnMissingVariables()}`,
  );
}

/** Names all settings that an environment needs, because no other problem names them. */
function refuseNoEnvironment(name: ProviderInterface, interfaces: OptionsNode): void {
  const choices = PROVIDER_ENVIRONMENTS.map((environment) => {
    const settings = settingsOfEnvironment({ interface: name, environment });
    return `for ${environment} ${settings.map(({ member, variable }) => (interfaces.origin === undefined ? member : variable)).join(', ')}`;
  });
  interfaces.refuse(name, `has no environment. Set ${choices.join('; or ')}.`);
}
