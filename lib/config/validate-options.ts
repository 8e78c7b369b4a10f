import type { Catalogue } from '../catalogue/catalogue.js';
import { readActiveEnvironments } from './environment-section.js';
import { readHttpSettings } from './http-section.js';
import { readInterfaces } from './interfaces-section.js';
import { loadValidator, readSettings } from './option-shape.js';
import { OptionsNode } from './options-node.js';
import { belongsToAnother, isOfDefinedProvider } from './process-env/misspelt-variables.js';
import { ProblemList } from './problem-list.js';
import type { Settings } from './options/profile.js';
import { settingWithSameSecret } from './shared-secrets.js';
import { SETTINGS } from './table/settings.js';
import { refuseTlsBesideOthers } from './tls-section.js';

interface Surroundings {
  /** Members that other code has read. */
  readonly alsoKnown?: readonly string[];
  /** The providers of all modules of the application. A variable of one of them is not misspelt. */
  readonly registered?: readonly Catalogue[];
}

/**
 * Validates the options and fills in every default. Rejects with one `ProviderAuthConfigError` that contains all problems
 * of all interfaces (C4). The options are read once and never changed.
 *
 * @param surroundings what the options are part of.
 */
export async function validateOptions(
  catalogue: Catalogue,
  options: unknown,
  variables: NodeJS.ProcessEnv = process.env,
  { alsoKnown = [], registered = [] }: Surroundings = {},
): Promise<Settings> {
  await loadValidator();
  const problems = new ProblemList(catalogue);
  const root = OptionsNode.root(options, problems, {
    label: '(options)',
    missing: 'are missing. Pass them.',
  });
  if (root === undefined) throw problems.toError();

  const { store } = readSettings(root, SETTINGS.options, { catalogue }, alsoKnown).values;
  const { configured, profiles, withTls } = readInterfaces(catalogue, root);
  const active = readActiveEnvironments(catalogue, root, configured);
  const token = readSettings(root.section('token'), SETTINGS.token, { catalogue }).values;
  const http = readHttpSettings(catalogue, root, variables);
  refuseTlsBesideOthers(withTls, http);
  for (const problem of root.origin?.strayProblems ?? []) {
    const { variable } = problem;
    if (!isOfDefinedProvider(variable) && !belongsToAnother(variable, catalogue, registered))
      root.refuseVariable(problem);
  }

  if (!problems.isEmpty) throw problems.toError();
  return Object.freeze({
    catalogue,
    profiles: Object.freeze(
      profiles.map((profile) =>
        Object.freeze({
          ...profile,
          active: active.get(profile.interface) === profile.environment,
          sameSecretAs: settingWithSameSecret(profile, profiles),
        }),
      ),
    ),
    token: Object.freeze(token),
    http,
    store,
  });
}
