import type { Catalogue } from '../catalogue/catalogue.js';
import { settingsOfEnvironment } from './process-env/variable-names.js';
import type { ConfiguredInterfaces } from './interfaces-section.js';
import { flawOfEnvironment, isEnvironment } from './rules/environment-rules.js';
import { UNREADABLE } from './object-reader.js';
import type { OptionsNode } from './options-node.js';
import { isObject } from '../values/is-object.js';

export type ActiveEnvironments = ReadonlyMap<string, string>;

/** Reads `environment`: one for all interfaces, or one entry for each configured interface (C5). */
export function readActiveEnvironments(
  catalogue: Catalogue,
  root: OptionsNode,
  configured: ConfiguredInterfaces,
): ActiveEnvironments {
  const value = root.read('environment');
  if (value === UNREADABLE) return new Map();
  if (isObject(value)) {
    const choices = root.child('environment');
    return choices === undefined ? new Map() : readChoices(catalogue, choices, configured);
  }
  const flaw = flawOfEnvironment(value, catalogue.environments);
  if (flaw !== undefined) root.refuse('environment', flaw);
  return new Map(
    [...configured.keys()].flatMap((name) => choiceOf(catalogue, name, root, 'environment', configured)),
  );
}

function readChoices(
  catalogue: Catalogue,
  node: OptionsNode,
  configured: ConfiguredInterfaces,
): ActiveEnvironments {
  node.refuseUnknown(catalogue.interfaces);
  const active = new Map<string, string>();
  for (const name of catalogue.interfaces) {
    const value = node.read(name);
    if (value === UNREADABLE || (value === undefined && !configured.has(name))) continue;
    const flaw = configured.has(name)
      ? flawOfEnvironment(value, catalogue.environments)
      : `chooses an environment for ${name}, which is not configured. Configure ${name}, or remove this.`;
    if (flaw !== undefined) node.refuse(name, flaw);
    for (const [, environment] of choiceOf(catalogue, name, node, name, configured))
      active.set(name, environment);
  }
  return active;
}

/** The environment that an interface uses, if it is a correct choice and is configured. */
function choiceOf(
  catalogue: Catalogue,
  name: string,
  node: OptionsNode,
  member: string,
  configured: ConfiguredInterfaces,
): [string, string][] {
  const environment = node.read(member);
  const environments = configured.get(name) ?? [];
  // An interface without any environment is reported by `readInterfaces`.
  if (!isEnvironment(environment, catalogue.environments) || environments.length === 0) return [];
  if (environments.includes(environment)) return [[name, environment]];
  const settings = settingsOfEnvironment(catalogue, { interface: name, environment });
  const missing = settings.map(({ path, variable }) => (node.origin === undefined ? path : variable));
  node.refuse(
    member,
    `chooses ${environment}, for which ${name} is not configured. Set ${missing.join(', ')}, or choose ${environments.join(' or ')}.`,
  );
  return [];
}
