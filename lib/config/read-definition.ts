import {
  BUILT_IN_NAME,
  capitals,
  type Catalogue,
  type ClientAuth,
  createCatalogue,
  type InterfaceEntry,
} from '../catalogue/catalogue.js';
import { type ConfigProblem, ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { parsedUrl } from '../net/parsed-url.js';
import { isRecord } from '../values/is-object.js';
import { MEMBERS_OF_ENVIRONMENT } from './problem-list.js';
import { adviceOnUnknown, pathOfMember, shownName } from './rules/member-name.js';
import { type Flaw, flawOfText, kindOf } from './rules/text-rules.js';
import { variablesOf } from './process-env/variable-names.js';

const NAME = /^[a-z][A-Za-z0-9]*([_-][A-Za-z0-9]+)*$/;

/** An interface or an environment with one of these names looks like a setting. */
const MEMBERS: readonly string[] = [
  'environment',
  'interfaces',
  'token',
  'http',
  'store',
  'isGlobal',
  'tokenUrl',
  ...MEMBERS_OF_ENVIRONMENT,
];

const CLIENT_AUTHS: readonly ClientAuth[] = ['post', 'basic', 'private_key_jwt'];

/** The path of a simulated token URL, if the definition says nothing about it. */
const ANY_TOKEN_PATH = '/oauth2/token';

type Members = Readonly<Record<string, unknown>>;

/**
 * Checks the definition of a provider and makes its catalogue. Throws one `ProviderAuthConfigError` with all problems, when
 * the definition is made: not when an application with it starts.
 */
export function readDefinition(definition: unknown): Catalogue {
  return new DefinitionReader().read(definition);
}

class DefinitionReader {
  readonly #problems: ConfigProblem[] = [];

  read(definition: unknown): Catalogue {
    if (!isRecord(definition)) {
      this.#refuse('(definition)', `must be an object, not ${kindOf(definition)}.`);
      throw this.#error(undefined);
    }
    this.#refuseUnknown('', definition, ['name', 'environments', 'interfaces']);
    const name = this.#name(definition['name']);
    const environments = this.#environments(definition['environments']);
    const entries = this.#entries(definition['interfaces']);
    if (this.#problems.length > 0) throw this.#error(name);
    const catalogue = createCatalogue(name, environments, entries);
    this.#refuseSameVariables(catalogue);
    if (this.#problems.length > 0) throw this.#error(name);
    return catalogue;
  }

  #name(value: unknown): string {
    if (typeof value === 'string' && capitals(value) === capitals(BUILT_IN_NAME))
      this.#refuse('name', 'is the name of the built-in provider. Choose another name.');
    return this.#checkedName('name', value);
  }

  #environments(value: unknown): string[] {
    if (!Array.isArray(value) || value.length === 0) {
      this.#refuse(
        'environments',
        "must be a list of names with one name or more, such as ['test', 'live'].",
      );
      return [];
    }
    const names = value.map((one, index) => this.#placeName(`environments.${index}`, one));
    this.#refuseTwins('environments', names);
    return names;
  }

  #entries(value: unknown): Record<string, InterfaceEntry> {
    if (!isRecord(value) || Object.keys(value).length === 0) {
      this.#refuse('interfaces', 'must be an object with one interface or more.');
      return {};
    }
    this.#refuseTwins('interfaces', Object.keys(value));
    return Object.fromEntries(
      Object.entries(value).map(([name, entry]) => {
        const path = pathOfMember('interfaces', name);
        this.#placeName(path, name);
        return [name, this.#entry(path, entry)];
      }),
    );
  }

  #entry(path: string, value: unknown): InterfaceEntry {
    const given: Members = isRecord(value) ? value : {};
    if (!isRecord(value)) this.#refuse(path, `must be an object, not ${kindOf(value)}.`);
    this.#refuseUnknown(path, given, ENTRY_MEMBERS);
    const tokenUrlPer = this.#choice(path, given, 'tokenUrlPer', ['environment', 'interface'] as const);
    const clientAuth = this.#choice(path, given, 'clientAuth', CLIENT_AUTHS);
    const [scope, audience, resource] = (['scope', 'audience', 'resource'] as const).map((member) =>
      this.#text(path, given, member),
    );
    if (resource !== undefined && (parsedUrl(resource) === undefined || resource.includes('#')))
      this.#refuse(`${path}.resource`, 'must be an absolute URI without a fragment (RFC 8707).');
    return Object.freeze({
      tokenUrlPer: tokenUrlPer ?? 'environment',
      ...this.#tokenPath(path, given),
      // One token URL: the client id decides the environment (S5). With a token URL for each environment it need not.
      clientIdPer: tokenUrlPer === 'interface' ? 'environment' : undefined,
      clientAuth,
      scope,
      audience,
      resource,
    });
  }

  #tokenPath(path: string, given: Members): Pick<InterfaceEntry, 'tokenPath' | 'tokenPathExample'> {
    const example = this.#text(path, given, 'tokenPathExample');
    if (example?.startsWith('/') === false)
      this.#refuse(`${path}.tokenPathExample`, 'must begin with a slash.');
    const pattern = given['tokenPath'];
    if (pattern === undefined) return { tokenPath: undefined, tokenPathExample: example ?? ANY_TOKEN_PATH };
    if (!(pattern instanceof RegExp)) {
      this.#refuse(`${path}.tokenPath`, `must be a regular expression, not ${kindOf(pattern)}.`);
      return { tokenPath: undefined, tokenPathExample: ANY_TOKEN_PATH };
    }
    // `test` of an expression with `g` or `y` would depend on the call before.
    const tokenPath = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''));
    const tokenPathExample = example ?? plainTextOf(pattern);
    if (tokenPathExample === undefined || !tokenPath.test(tokenPathExample))
      this.#refuse(
        `${path}.tokenPathExample`,
        example === undefined
          ? 'is missing. Set it to an ending that tokenPath accepts, such as /oauth2/token.'
          : 'does not match tokenPath.',
      );
    return { tokenPath, tokenPathExample: tokenPathExample ?? ANY_TOKEN_PATH };
  }

  #choice<Choice extends string>(
    path: string,
    given: Members,
    member: string,
    choices: readonly Choice[],
  ): Choice | undefined {
    const value = given[member];
    const choice = choices.find((one) => one === value);
    if (value !== undefined && choice === undefined)
      this.#refuse(`${path}.${member}`, `must be ${choices.join(' or ')}.`);
    return choice;
  }

  #text(path: string, given: Members, member: string): string | undefined {
    const value = given[member];
    if (value === undefined) return undefined;
    const flaw = flawOfText(value);
    if (flaw !== undefined) this.#refuse(`${path}.${member}`, flaw);
    return typeof value === 'string' ? value : undefined;
  }

  /** The name of an interface or an environment. */
  #placeName(path: string, value: unknown): string {
    const name = this.#checkedName(path, value);
    const isMember = MEMBERS.some((member) => capitals(member) === capitals(name));
    if (isMember || name in {})
      this.#refuse(path, 'is named like a member of the options or of every object. Choose another name.');
    return name;
  }

  #checkedName(path: string, value: unknown): string {
    const flaw = flawOfName(value);
    if (flaw !== undefined) this.#refuse(path, flaw);
    return typeof value === 'string' ? value : '';
  }

  #refuseTwins(path: string, names: readonly string[]): void {
    for (const [index, name] of names.entries()) {
      const twin = names.slice(0, index).find((earlier) => capitals(earlier) === capitals(name));
      if (twin !== undefined)
        this.#refuse(
          path,
          `has ${shownName(twin)} and ${shownName(name)}, which give the same variables. Rename one of them.`,
        );
    }
  }

  /** Two settings with one variable, or an environment whose variables look like those of another interface. */
  #refuseSameVariables(catalogue: Catalogue): void {
    const starts = new Map(catalogue.interfaces.map((name) => [capitals(name), name]));
    for (const { interface: name, environment } of catalogue.pairs) {
      const other = starts.get(`${capitals(name)}_${capitals(environment)}`);
      if (other !== undefined)
        this.#refuse(
          `interfaces.${other}`,
          `gives the same variables as the environment ${environment} of ${name}. Rename one of them.`,
        );
    }
    const variables = variablesOf(catalogue);
    for (const variable of new Set(variables.filter((one, index) => variables.indexOf(one) !== index)))
      this.#refuse(
        'interfaces',
        `gives the variable ${variable} to two settings. Rename an interface or an environment.`,
      );
  }

  #refuseUnknown(path: string, given: Members, known: readonly string[]): void {
    for (const name of Object.keys(given)) {
      if (known.includes(name)) continue;
      this.#refuse(
        pathOfMember(path, name),
        `is not a member of a definition. ${adviceOnUnknown(name, known)}`,
      );
    }
  }

  #refuse(path: string, message: string): void {
    this.#problems.push(Object.freeze({ path, message }));
  }

  #error(name: string | undefined): ProviderAuthConfigError {
    const owner = name !== undefined && flawOfName(name) === undefined ? name : 'defineProvider';
    return new ProviderAuthConfigError('CONFIG_INVALID', this.#problems, owner);
  }
}

const ENTRY_MEMBERS = [
  'tokenUrlPer',
  'tokenPath',
  'tokenPathExample',
  'scope',
  'audience',
  'resource',
  'clientAuth',
];

function flawOfName(value: unknown): Flaw {
  if (typeof value !== 'string' || value === '') return 'must be a name.';
  return value.length <= 40 && NAME.test(value)
    ? undefined
    : 'must begin with a small letter and have only letters, digits, and single - or _ between them, at most 40 in all.';
}

/** The text that an expression such as `/\/oauth2\/token$/` stands for. Undefined if it stands for many texts. */
function plainTextOf({ source }: RegExp): string | undefined {
  const text = source
    .replace(/^\^/, '')
    .replace(/\$$/, '')
    .replaceAll(/\\([/.-])/g, '$1');
  if (/[\\^$*+?()[\]{}|]/.test(text)) return undefined;
  return text.startsWith('/') ? text : `/${text}`;
}
