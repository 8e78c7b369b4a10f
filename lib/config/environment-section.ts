import type { Catalogue } from '../catalogue/catalogue.js';
import type { ConfiguredInterfaces } from './interfaces-section.js';
import { type OptionsNode, UNREADABLE } from './options-node.js';
import { settingsOfEnvironment } from './process-env/variable-names.js';
import { flawOfEnvironment } from './rules/choice-rules.js';
import { isObject } from '../values/is-object.js';

/** Reads `environment`: one for all interfaces, or one entry for each configured interface (C5). */
export function readActiveEnvironments(
  catalogue: Catalogue,
  root: OptionsNode,
  configured: ConfiguredInterfaces,
): ReadonlyMap<string, string> {
  const active = new Map<string, string>();
  const choose = (name: string, node: OptionsNode, member: string): void => {
    const environment = catalogue.environments.find((one) => one === node.read(member));
    const environments = configured.get(name) ?? [];
    // An interface without any environment is reported by `readInterfaces`, and a wrong name by the check of the name.
    if (environments.length === 0 || environment === undefined) return;
    if (environments.includes(environment)) {
      active.set(name, environment);
      return;
    }
    const settings = settingsOfEnvironment(catalogue, { interface: name, environment });
    const missing = settings.map(({ path, variable }) => (node.origin === undefined ? path : variable));
    node.refuse(
      member,
      `chooses ${environment}, for which ${name} is not configured. Set ${missing.join(', ')}, or choose ${environments.join(' or ')}.`,
    );
  };
  if (isObject(root.read('environment'))) {
    const choices = root.child('environment');
    if (choices === undefined) return active;
    choices.refuseUnknown(catalogue.interfaces);
    for (const name of catalogue.interfaces) {
      checkChoice(catalogue, name, choices, configured);
      choose(name, choices, name);
    }
  } else {
    for (const name of configured.keys()) choose(name, root, 'environment');
  }
  return active;
}

function checkChoice(
  { environments }: Catalogue,
  name: string,
  node: OptionsNode,
  configured: ConfiguredInterfaces,
): void {
  const value = node.read(name);
  if (value === UNREADABLE || (value === undefined && !configured.has(name))) return;
  const flaw = configured.has(name)
    ? flawOfEnvironment(value, environments)
    : `chooses an environment for ${name}, which is not configured. Configure ${name}, or remove this.`;
  if (flaw !== undefined) node.refuse(name, flaw);
}
