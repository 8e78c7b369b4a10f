import { type AnyPair, type Catalogue, pairName } from '../catalogue/catalogue.js';
import { hasOwnKey } from '../errors/setting-names.js';
import { safely } from '../values/safely.js';
import { readHttpSettings } from './http-section.js';
import { readInterfaces } from './interfaces-section.js';
import { loadValidator, readSettings } from './read-rows.js';
import { OptionsNode, UNREADABLE } from './options-node.js';
import { strangersOf } from './process-env/misspelt-variables.js';
import { ProblemList } from './problem-list.js';
import type { Profile, Settings } from './options/profile.js';
import type { TokenStore } from './options/token-store.js';
import { sharedCredentials } from './shared-secrets.js';
import { SETTINGS } from './table/settings.js';
import { refuseTlsBesideOthers, tlsNamesBeside } from './tls-section.js';
import { settingsOfEnvironment } from './process-env/variable-names.js';
import { flawOfEnvironment } from './rules/choice-rules.js';
import { isObject } from '../values/is-object.js';

/** The module seals stored tokens with the secret or the private key of a client. Some clients have neither (B32). */
function refuseUnsealed(
  root: OptionsNode,
  store: TokenStore | undefined,
  profiles: readonly Pick<Profile, keyof AnyPair | 'credential'>[],
): void {
  if (store === undefined || safely(() => store.sealKey, undefined) !== undefined) return;
  const unsealed = profiles.filter((profile) => !hasOwnKey(profile));
  if (unsealed.length > 0)
    root.refuse(
      'store',
      `has no sealKey. It needs one for ${unsealed.map(pairName).join(', ')}, which ${unsealed.length === 1 ? 'has' : 'have'} neither a secret nor a private key to seal its tokens with. Pass new RedisTokenStore(client, { sealKey }), or leave the store out.`,
    );
}

export interface Surroundings {
  /** Members that other code has read. */
  readonly alsoKnown?: readonly string[];
  /** The providers of all modules of the application. A variable of one of them is not misspelt. */
  readonly registered?: readonly Catalogue[];
  /** The file that the doctor read in place of `.env`. */
  readonly settingsFile?: string | undefined;
}

/** Fills in every default, or rejects with one `ProviderAuthConfigError` that contains all problems of all interfaces (C4). */
export async function validateOptions(
  catalogue: Catalogue,
  options: unknown,
  variables: NodeJS.ProcessEnv = process.env,
  { alsoKnown = [], registered = [], settingsFile }: Surroundings = {},
): Promise<Settings> {
  await loadValidator();
  const problems = new ProblemList(catalogue);
  const root = OptionsNode.root(options, problems, {
    label: '(options)',
    missing: 'are missing. Pass them.',
  });
  if (root === undefined) throw problems.toError();

  const { store, accounts } = readSettings(root, SETTINGS.options, { catalogue }, alsoKnown).values;
  const { configured, profiles, withTls } = await readInterfaces(catalogue, root, settingsFile);
  refuseUnsealed(root, store, profiles);
  const active = readActiveEnvironments(catalogue, root, configured);
  const token = readSettings(root.section('token'), SETTINGS.token, { catalogue }).values;
  const http = readHttpSettings(catalogue, root, variables);
  refuseTlsBesideOthers(withTls, http);
  const agentNames = tlsNamesBeside(http);
  const strangers = root.origin && strangersOf(catalogue, root.origin.variables(), registered);
  for (const problem of [...(root.origin?.strayProblems() ?? []), ...(strangers?.misspelt ?? [])])
    problems.add(problem);

  if (!problems.isEmpty) throw problems.toError();
  return Object.freeze({
    catalogue,
    profiles: Object.freeze(
      profiles.map((profile) =>
        Object.freeze({
          ...profile,
          names: Object.freeze({ ...profile.names, ...agentNames }),
          active: active.get(profile.interface) === profile.environment,
          ...sharedCredentials(profile, profiles),
        }),
      ),
    ),
    unknownVariables: Object.freeze(strangers?.unknown ?? []),
    token: Object.freeze(token),
    http,
    store,
    accounts: root.bound(accounts) as Settings['accounts'],
  });
}

/** Reads `environment`: one for all interfaces, or one entry for each configured interface (C5). */
function readActiveEnvironments(
  catalogue: Catalogue,
  root: OptionsNode,
  configured: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, string> {
  const { interfaces, environments } = catalogue;
  const active = new Map<string, string>();
  const choices = isObject(root.read('environment')) ? root.child('environment') : undefined;
  choices?.refuseUnknown(interfaces);
  for (const name of interfaces) {
    const [node, member] = choices ? [choices, name] : [root, 'environment'];
    const value = node.read(member);
    if (choices && value !== UNREADABLE && (value !== undefined || configured.has(name))) {
      const flaw = configured.has(name)
        ? flawOfEnvironment(value, environments)
        : `chooses an environment for ${name}, which is not configured. Configure ${name}, or remove this.`;
      if (flaw !== undefined) choices.refuse(name, flaw);
    }
    const environment = environments.find((one) => one === value);
    const known = configured.get(name) ?? [];
    // An interface without any environment is reported by `readInterfaces`, and a wrong name by the check of the name.
    if (known.length === 0 || environment === undefined) continue;
    if (known.includes(environment)) active.set(name, environment);
    else {
      const settings = settingsOfEnvironment(catalogue, { interface: name, environment });
      const missing = settings.map(({ path, variable }) => (node.origin === undefined ? path : variable));
      node.refuse(
        member,
        `chooses ${environment}, for which ${name} is not configured. Set ${missing.join(', ')}, or choose ${known.join(' or ')}.`,
      );
    }
  }
  return active;
}
