import { type AnyPair, type Catalogue, pairName } from '../catalogue/catalogue.js';
import { hasOwnKey } from '../errors/setting-names.js';
import { safely } from '../values/safely.js';
import { readActiveEnvironments } from './environment-section.js';
import { readHttpSettings } from './http-section.js';
import { readInterfaces } from './interfaces-section.js';
import { loadValidator, readSettings } from './option-shape.js';
import { OptionsNode } from './options-node.js';
import { strangersOf } from './process-env/misspelt-variables.js';
import { ProblemList } from './problem-list.js';
import type { AccountLoader } from './options/provider-auth-options.js';
import type { Profile, Settings } from './options/profile.js';
import type { TokenStore } from './options/token-store.js';
import { sharedCredentials } from './shared-secrets.js';
import { SETTINGS } from './table/settings.js';
import { refuseTlsBesideOthers } from './tls-section.js';

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

  const { store, accounts } = readSettings(root, SETTINGS.options, { catalogue }, alsoKnown).values;
  const { configured, profiles, withTls } = await readInterfaces(catalogue, root);
  refuseUnsealed(root, store, profiles);
  const active = readActiveEnvironments(catalogue, root, configured);
  const token = readSettings(root.section('token'), SETTINGS.token, { catalogue }).values;
  const http = readHttpSettings(catalogue, root, variables);
  refuseTlsBesideOthers(withTls, http);
  const strangers = root.origin && strangersOf(catalogue, root.origin.variables(), registered);
  for (const problem of [...(root.origin?.strayProblems() ?? []), ...(strangers?.misspelt ?? [])])
    root.refuseVariable(problem);

  if (!problems.isEmpty) throw problems.toError();
  return Object.freeze({
    catalogue,
    profiles: Object.freeze(
      profiles.map((profile) =>
        Object.freeze({
          ...profile,
          active: active.get(profile.interface) === profile.environment,
          ...sharedCredentials(profile, profiles),
        }),
      ),
    ),
    unknownVariables: Object.freeze(strangers?.unknown ?? []),
    token: Object.freeze(token),
    http,
    store,
    accounts: accounts && (root.method(accounts) as AccountLoader),
  });
}
