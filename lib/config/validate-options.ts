import { type Catalogue, pairName } from '../catalogue/catalogue.js';
import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { hasOwnKey } from '../errors/setting-names.js';
import { isObject, memberOf } from '../values/objects.js';
import { safely } from '../values/safely.js';
import { readHttpSettings } from './http-section.js';
import { readInterfaces } from './interfaces-section.js';
import type { Profile, Settings } from './options/profile.js';
import { HttpOptions, RootOptions, TokenOptions } from './options/provider-auth-options.js';
import type { TokenStore } from './options/token-store.js';
import { requiredOf } from './process-env/variable-names.js';
import { flawOfEnvironment } from './rules/choice-rules.js';
import { boundTo } from '../secrets/secret-source.js';
import { isSection, loadValidator, orRefuse, refuseUnknown } from './setting.js';
import { flawOfTwo } from '../secrets/text-rules.js';
import { type Surroundings, Validation } from './validation.js';

type NewProfile = Omit<Profile, 'active'>;

const FACTORY = ['the factory of the options', 'Call the factory by itself to see it.'] as const;
const READING = ['a getter or a proxy in the options', 'Pass plain values.'] as const;

/**
 * Runs code of the application that gives the options: a factory, a getter, a trap of a proxy. Its error may contain the options with
 * their secrets, and Nest prints it. So a new error has only the class of that error (S10).
 */
async function withoutForeignErrors<Result>(
  { name }: Catalogue,
  run: () => Result | Promise<Result>,
  [subject, remedy]: readonly [subject: string, remedy: string],
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ProviderAuthConfigError) throw error;
    const message = `${subject} threw ${kindOfError(error)}; its text is not repeated, because it may hold a secret. ${remedy}`;
    throw new ProviderAuthConfigError('CONFIG_INVALID', [{ path: '(options)', message }], name);
  }
}

/** The class of an error. A name that is no identifier is not shown, because it may contain a secret. */
function kindOfError(error: unknown): string {
  return safely(() => {
    if (!(error instanceof Error)) return 'something';
    const kind = error.name === 'Error' ? error.constructor.name : error.name;
    return /^\w{1,64}$/.test(kind) ? kind : 'something';
  }, 'something');
}

/** The options of `forRoot`, which may have the member `isGlobal`. */
export class OptionsWithIsGlobal {
  constructor(readonly options: unknown) {}
}

export async function validateCreated(
  catalogue: Catalogue,
  create: () => unknown,
  surroundings?: Surroundings,
): Promise<Settings> {
  const created = await withoutForeignErrors(catalogue, create, FACTORY);
  return created instanceof OptionsWithIsGlobal
    ? validateOptions(catalogue, created.options, { ...surroundings, alsoKnown: ['isGlobal'] })
    : validateOptions(catalogue, created, surroundings);
}

/** Fills in every default, or rejects with one `ProviderAuthConfigError` that contains all problems of all interfaces. */
export async function validateOptions(
  catalogue: Catalogue,
  options: unknown,
  surroundings?: Surroundings,
): Promise<Settings> {
  const { settings, problems } = await examineOptions(catalogue, options, surroundings);
  if (problems.length === 0) return settings;
  throw new ProviderAuthConfigError('CONFIG_INVALID', problems, catalogue.name);
}

/**
 * The same for the doctor, which checks the other pairs even if one is wrong: the settings then have the profiles of the pairs that
 * can be used alone.
 */
export async function examineOptions(catalogue: Catalogue, options: unknown, surroundings?: Surroundings) {
  await loadValidator();
  const examine = () => {
    const section = orRefuse((report) => {
      if (options === undefined) report('(options)', 'are missing. Pass them.');
      else if (isSection(options, '(options)', report)) return options;
      return {};
    }, catalogue.name);
    return examined(new Validation(catalogue, section, surroundings));
  };
  return withoutForeignErrors(catalogue, examine, READING);
}

async function examined(validation: Validation) {
  const { catalogue, report, origin, surroundings } = validation;
  const { alsoKnown = [], registered } = surroundings;
  const root = validation.read(RootOptions, validation.options, '', { others: alsoKnown });
  const readings = isObject(root.interfaces) ? await readInterfaces(validation, root.interfaces) : [];
  const profiles = readings.flatMap(({ profile }) => profile ?? []);
  const active = readActiveEnvironments(validation, root.environment);
  const token = readToken(validation, root.token ?? {});
  const http = readHttpSettings(validation, validation.read(HttpOptions, root.http ?? {}, 'http'));
  const flawOfStore = flawOfUnsealed(root.store, profiles);
  if (flawOfStore !== undefined) report('store', flawOfStore);
  // It would not be clear which certificates a connection uses.
  if (http.httpsAgent)
    for (const { path, tls } of readings) if (tls) report(`${path}.tls`, flawOfTwo('http.httpsAgent'));
  for (const problem of origin?.problemsIn(validation.options, registered) ?? []) validation.add(problem);
  const settings: Settings = Object.freeze({
    catalogue,
    profiles: Object.freeze(
      profiles.map((profile) => {
        const isActive = active.get(profile.interface) === profile.environment;
        return Object.freeze({ ...profile, active: isActive });
      }),
    ),
    token: Object.freeze(token) as Settings['token'],
    http,
    store: root.store,
    accounts: boundTo(validation.options, root.accounts),
  });
  return { problems: validation.problems, settings };
}

/** An application that sets members of `token` in code replaces those of the variables. An operator's variable still counts then. */
function readToken(validation: Validation, given: object): TokenOptions {
  const isInCode = memberOf(given, 'atBoot') !== undefined;
  const atBoot = isInCode ? undefined : validation.origin?.valueAt('token.atBoot');
  return validation.read(TokenOptions, given, 'token', { texts: new Map([['atBoot', atBoot]]) });
}

/** The module seals stored tokens with the secret or the private key of a client. Some clients have neither. */
function flawOfUnsealed(store: TokenStore | undefined, profiles: readonly NewProfile[]): string | undefined {
  if (store === undefined || store.sealKey !== undefined) return undefined;
  const unsealed = profiles.filter((profile) => !hasOwnKey(profile));
  if (unsealed.length === 0) return undefined;
  return `has no sealKey. It needs one for ${unsealed.map(pairName).join(', ')}, which ${unsealed.length === 1 ? 'has' : 'have'} neither a secret nor a private key to seal its tokens with. Pass new RedisTokenStore(client, { sealKey }), or leave the store out.`;
}

/** Reads `environment`: one for all interfaces, or one entry for each configured interface. */
function readActiveEnvironments(
  { catalogue, configured, report, origin }: Validation,
  environment: unknown,
): ReadonlyMap<string, string> {
  const { interfaces, environments } = catalogue;
  const active = new Map<string, string>();
  const choices = isObject(environment) ? environment : undefined;
  if (choices) refuseUnknown(choices, interfaces, { path: 'environment', report });
  for (const name of interfaces) {
    const path = choices ? `environment.${name}` : 'environment';
    const value = choices ? memberOf(choices, name) : environment;
    const known = configured.get(name);
    if (choices && (value !== undefined || known !== undefined)) {
      const flaw = known
        ? flawOfEnvironment(value, environments)
        : `chooses an environment for ${name}, which is not configured. Configure ${name}, or remove this.`;
      if (flaw !== undefined) report(path, flaw);
    }
    const chosen = environments.find((one) => one === value);
    // An interface without any environment is reported by `readInterfaces`, and a wrong name by the check of the name.
    if (known === undefined || known.length === 0 || chosen === undefined) continue;
    if (known.includes(chosen)) active.set(name, chosen);
    else {
      const required = requiredOf(catalogue, { interface: name, environment: chosen }, false);
      const missing = required.map((one) => (origin === undefined ? one.path : one.name));
      report(
        path,
        `chooses ${chosen}, for which ${name} is not configured. Set ${missing.join(', ')}, or choose ${known.join(' or ')}.`,
      );
    }
  }
  return active;
}
