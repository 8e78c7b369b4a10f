import type { Catalogue } from '../catalogue/catalogue.js';
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
export type ConfiguredInterfaces = ReadonlyMap<string, readonly string[]>;

export interface InterfacesSection {
  readonly configured: ConfiguredInterfaces;
  readonly profiles: readonly InactiveProfile[];
  /** The environments that have `tls`, right or wrong. */
  readonly withTls: readonly OptionsNode[];
}

/** Reads `interfaces`: every interface of the catalogue. */
export function readInterfaces(catalogue: Catalogue, root: OptionsNode): InterfacesSection {
  const configured = new Map<string, readonly string[]>();
  const readings: EnvironmentReading[] = [];
  const node = root.child('interfaces');
  if (!root.has('interfaces'))
    root.refuse('interfaces', 'is missing. Configure at least one interface in it.');
  if (node === undefined) return { configured, profiles: [], withTls: [] };

  node.refuseUnknown(catalogue.interfaces);
  const given = catalogue.interfaces.filter((name) => node.has(name));
  if (given.length === 0) refuseNoInterface(catalogue, root);
  for (const name of given) {
    const own = node.child(name);
    const environments = catalogue.environments.filter((environment) => own?.has(environment));
    configured.set(name, environments);
    if (own === undefined) continue;
    readings.push(...readInterface(catalogue, name, own));
    if (environments.length === 0) refuseNoEnvironment(catalogue, name, node);
  }
  return {
    configured,
    profiles: readings.flatMap(({ profile }) => profile ?? []),
    withTls: readings.flatMap(({ node: environment, hasTls }) => (hasTls ? [environment] : [])),
  };
}

function readInterface(catalogue: Catalogue, name: string, node: OptionsNode): EnvironmentReading[] {
  const { environments } = catalogue;
  if (catalogue.entryOf(name).tokenUrlPer === 'environment') {
    node.refuseUnknown(environments, {
      tokenUrl: `belongs one level down: each environment of ${name} has its own token URL.`,
    });
    return readEnvironments(catalogue, name, node, undefined);
  }
  const shared = new SharedTokenUrlForm(name, catalogue);
  fillForm(shared, node);
  node.refuseUnknown([...membersOf(SharedTokenUrlForm), ...environments]);
  return readEnvironments(catalogue, name, node, { node, form: shared });
}

function readEnvironments(
  catalogue: Catalogue,
  name: string,
  node: OptionsNode,
  shared: SharedTokenUrl | undefined,
): EnvironmentReading[] {
  const readings = catalogue.environments.flatMap((environment) => {
    const own = node.child(environment);
    return own === undefined
      ? []
      : [readEnvironment(catalogue, { interface: name, environment }, own, shared)];
  });
  if (catalogue.entryOf(name).clientIdPer === 'environment') refuseSharedClientIds(readings);
  if (shared === undefined) refuseSharedTokenUrls(catalogue, name, readings);
  return readings;
}

function refuseNoInterface(catalogue: Catalogue, root: OptionsNode): void {
  const names = catalogue.interfaces.join(' or ');
  root.refuse(
    'interfaces',
    root.origin === undefined
      ? `configures no interface. Add ${names}.`
      : `configures no interface: none of the variables of ${names} is set. ${adviceOnMissingVariables(catalogue)}`,
  );
}

/** Names all settings that an environment needs, because no other problem names them. */
function refuseNoEnvironment(catalogue: Catalogue, name: string, interfaces: OptionsNode): void {
  const choices = catalogue.environments.map((environment) => {
    const settings = settingsOfEnvironment(catalogue, { interface: name, environment });
    return `for ${environment} ${settings.map(({ member, variable }) => (interfaces.origin === undefined ? member : variable)).join(', ')}`;
  });
  interfaces.refuse(name, `has no environment. Set ${choices.join('; or ')}.`);
}
