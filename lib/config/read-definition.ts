import {
  type AssertionEntry,
  BUILT_IN_NAME,
  capitals,
  type Catalogue,
  createCatalogue,
  CREDENTIAL_OPTIONS,
  type InterfaceEntry,
  type InterfaceTerms,
  SIGNING_ALGORITHMS,
} from '../catalogue/catalogue.js';
import { WRITTEN_FIELDS } from '../catalogue/wire.js';
import { type ConfigProblem, ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { HTTP_TOKEN } from '../values/http-text.js';
import { EnvironmentOptions, InterfaceSettings, TlsOptions } from './options/environment-options.js';
import type { InterfaceDefinition, ProviderDefinition } from './options/provider-definition.js';
import { variablesOf } from './process-env/variable-names.js';
import { listOf, oneOf } from './rules/choice-rules.js';
import { shownName } from './rules/names.js';
import { type Flaw, flawOfText, kindOf } from '../secrets/text-rules.js';
import { flawOfResource } from './rules/url-rules.js';
import {
  declaredIn,
  flawOfObject,
  pathOf,
  read,
  readTexts,
  type Report,
  Section,
  Setting,
  Whole,
} from './setting.js';

const NAME = /^[a-z][A-Za-z0-9]*([_-][A-Za-z0-9]+)*$/;

/** An interface or an environment with one of these names looks like a setting of an interface. */
const MEMBERS: readonly string[] = [InterfaceSettings, EnvironmentOptions, TlsOptions].flatMap((Class) =>
  [...declaredIn(Class).keys()].map(capitals),
);

/** The path of a simulated token URL, if the definition says nothing about it. */
const ANY_TOKEN_PATH = '/oauth2/token';

const Text = (flawOf: (text: string) => Flaw = () => undefined) =>
  Setting((value) => flawOfText(value) ?? flawOf(String(value)));

class AssertionMembers implements AssertionEntry {
  @Setting(oneOf(['tokenUrl', 'issuer']))
  audience: AssertionEntry['audience'] = 'tokenUrl';

  @Setting(oneOf(['JWT', 'client-authentication+jwt']))
  type: AssertionEntry['type'] = 'JWT';

  @Setting(oneOf(['x5t', 'x5t#S256', 'x5c'], 'x5t, x5t#S256 or x5c'))
  certificate?: AssertionEntry['certificate'];

  @Setting(oneOf(SIGNING_ALGORITHMS))
  algorithm?: AssertionEntry['algorithm'];

  @Whole(10, 600)
  lifetimeSeconds = 300;
}

/** The members of a definition that one of its interfaces replaces. Without defaults, which would replace them, too. */
class Terms implements InterfaceTerms {
  @Text()
  grantType?: string;

  @Setting(flawOfObject)
  params?: NonNullable<InterfaceTerms['params']>;

  @Section(AssertionMembers)
  assertion?: AssertionEntry;

  @Setting((value) => (typeof value === 'string' ? flawOfResource : listOf(flawOfResource))(value))
  resource?: NonNullable<InterfaceTerms['resource']>;

  @Whole(1)
  expiresIn?: number;

  @Setting((value) => (value === 'any' ? undefined : listOf((one) => flawOfText(one))(value)))
  tokenTypes?: NonNullable<InterfaceTerms['tokenTypes']>;

  @Setting(oneOf(['bearer', 'visible']))
  tokenCharacters?: NonNullable<InterfaceTerms['tokenCharacters']>;

  @Text((value) => (HTTP_TOKEN.test(value) ? undefined : 'must be one word, such as Bearer.'))
  scheme?: string;

  @Setting((value) =>
    Array.isArray(value) &&
    value.every(Number.isInteger) &&
    ['401', '403', '401,403'].includes(value.join(','))
      ? undefined
      : 'must be [401], [403] or [401, 403].',
  )
  refusedWith?: NonNullable<InterfaceTerms['refusedWith']>;
}

class InterfaceMembers extends Terms implements InterfaceDefinition {
  @Setting(oneOf(['environment', 'interface']))
  tokenUrlPer: InterfaceEntry['tokenUrlPer'] = 'environment';

  @Setting(oneOf(Object.keys(CREDENTIAL_OPTIONS)))
  clientAuth?: NonNullable<InterfaceTerms['clientAuth']>;

  @Text()
  scope?: string;

  @Text()
  audience?: string;

  @Text((value) => (value.startsWith('/') ? undefined : 'must begin with a slash.'))
  tokenPathExample?: string;

  @Setting((value) =>
    value instanceof RegExp ? undefined : `must be a regular expression, not ${kindOf(value)}.`,
  )
  tokenPath?: RegExp;
}

class DefinitionMembers extends Terms implements Omit<ProviderDefinition, 'interfaces'> {
  @Setting(
    (value) =>
      typeof value === 'string' && capitals(value) === capitals(BUILT_IN_NAME)
        ? 'is the name of the built-in provider. Choose another name.'
        : flawOfName(value),
    { need: 'required' },
  )
  name!: string;

  @Setting(
    (value) =>
      Array.isArray(value) && value.length > 0
        ? undefined
        : "must be a list of names with one name or more, such as ['test', 'live'].",
    { need: 'required' },
  )
  environments!: readonly [string, ...string[]];

  @Setting(
    (value) =>
      flawOfObject(value) === undefined && Object.keys(value as object).length > 0 ? undefined : NO_INTERFACE,
    {
      need: 'required',
    },
  )
  interfaces!: object;
}

const NO_INTERFACE = 'must be an object with one interface or more.';

const KIND = 'a member of a definition';

/**
 * Checks the definition of a provider and makes its catalogue. Throws one `ProviderAuthConfigError` with all problems, when
 * the definition is made: not when an application with it starts.
 */
export function readDefinition(definition: unknown): Catalogue {
  const problems: ConfigProblem[] = [];
  const report: Report = (path, message) => void problems.push(Object.freeze({ path, message }));
  let owner = 'defineProvider';
  const end = (): void => {
    if (problems.length > 0) throw new ProviderAuthConfigError('CONFIG_INVALID', problems, owner);
  };
  const flaw = flawOfObject(definition);
  if (flaw !== undefined) report('(definition)', flaw);
  end();
  const members = read(DefinitionMembers, definition as object, { path: '', report, kind: KIND });
  const {
    name,
    environments,
    interfaces,
  }: Partial<Pick<DefinitionMembers, 'name' | 'environments' | 'interfaces'>> = members;
  if (name !== undefined) owner = name;
  const names = (environments ?? []).map((one: unknown) => (typeof one === 'string' ? one : ''));
  for (const [index, one] of names.entries()) refusePlaceName(`environments.${index}`, one, report);
  refuseTwins('environments', names, report);
  const entries = entriesIn(interfaces ?? {}, termsIn(members, '', report), report);
  if (members.assertion && Object.values(entries).every(({ assertion }) => assertion === undefined))
    report(
      'assertion',
      'is used only with clientAuth private_key_jwt, which no interface has. Set clientAuth, or remove assertion.',
    );
  end();
  const catalogue = createCatalogue(owner, names, entries);
  refuseSameVariables(catalogue, report);
  end();
  return catalogue;
}

function entriesIn(given: object, terms: InterfaceTerms, report: Report): Record<string, InterfaceEntry> {
  const names = Object.keys(given);
  refuseTwins('interfaces', names, report);
  const entries: Record<string, InterfaceEntry> = {};
  for (const [name, own] of Object.entries(given)) {
    const path = pathOf('interfaces', name);
    refusePlaceName(path, name, report);
    const flaw = flawOfObject(own);
    if (flaw === undefined) entries[name] = entryOf(own as object, path, terms, report);
    else report(path, flaw);
  }
  return entries;
}

function refusePlaceName(path: string, name: string, report: Report): void {
  const flaw = flawOfName(name);
  if (flaw !== undefined) report(path, flaw);
  if (MEMBERS.includes(capitals(name)) || name in {})
    report(path, 'is named like a member of the options or of every object. Choose another name.');
}

function refuseTwins(path: string, names: readonly string[], report: Report): void {
  for (const [index, name] of names.entries()) {
    const twin = names.slice(0, index).find((earlier) => capitals(earlier) === capitals(name));
    if (twin !== undefined)
      report(
        path,
        `has ${shownName(twin)} and ${shownName(name)}, which give the same variables. Rename one of them.`,
      );
  }
}

/** Two settings with one variable, or an environment whose variables look like those of another interface. */
function refuseSameVariables(catalogue: Catalogue, report: Report): void {
  for (const { interface: name, environment } of catalogue.pairs) {
    const start = `${capitals(name)}_${capitals(environment)}`;
    const other = catalogue.interfaces.find((one) => capitals(one) === start);
    if (other !== undefined)
      report(
        `interfaces.${other}`,
        `gives the same variables as the environment ${environment} of ${name}. Rename one of them.`,
      );
  }
  const seen = new Set<string>();
  for (const variable of variablesOf(catalogue)) {
    if (seen.has(variable))
      report(
        'interfaces',
        `gives the variable ${variable} to two settings. Rename an interface or an environment.`,
      );
    seen.add(variable);
  }
}

function entryOf(given: object, path: string, terms: InterfaceTerms, report: Report): InterfaceEntry {
  const own = read(InterfaceMembers, given, { path, report, kind: KIND });
  const { tokenUrlPer, clientAuth, scope, audience } = own;
  const isSigning = clientAuth === 'private_key_jwt';
  if (!isSigning && own.assertion)
    report(`${path}.assertion`, 'is used only with clientAuth private_key_jwt. Remove one of them.');
  const { assertion = new AssertionMembers(), ...merged } = { ...terms, ...termsIn(own, path, report) };
  return Object.freeze({
    tokenUrlPer,
    ...tokenPathIn(own, path, report),
    clientAuth,
    scope,
    audience,
    ...merged,
    assertion: isSigning ? Object.freeze({ ...assertion }) : undefined,
  });
}

/** The terms of a definition, or of one of its interfaces: what the interface has replaces what the definition has. */
function termsIn(members: Terms, holder: string, report: Report): InterfaceTerms {
  const place = (name: string) => ({ path: pathOf(holder, name), report, kind: `a member of ${name}` });
  const terms: Record<string, unknown> = {};
  for (const name of declaredIn(Terms).keys()) {
    const value = Reflect.get(members, name) as unknown;
    // Copies: the application may change its lists after they were checked.
    if (value !== undefined) terms[name] = Array.isArray(value) ? Object.freeze(value.slice()) : value;
  }
  if (members.params) terms['params'] = readTexts(members.params, flawOfParam, place('params'));
  if (members.assertion) terms['assertion'] = read(AssertionMembers, members.assertion, place('assertion'));
  return terms;
}

/** A further field of a token request. The form has each field once, so a field of the module is refused. */
function flawOfParam(name: string, value: unknown): Flaw {
  return WRITTEN_FIELDS.some((field) => field === name)
    ? 'is a field that the module writes itself. Remove it.'
    : (flawOfText(name, 'Name the field.') ?? flawOfText(value));
}

function tokenPathIn(
  { tokenPath: pattern, tokenPathExample }: InterfaceMembers,
  path: string,
  report: Report,
): Pick<InterfaceEntry, 'tokenPath' | 'tokenPathExample'> {
  if (pattern === undefined)
    return { tokenPath: undefined, tokenPathExample: tokenPathExample ?? ANY_TOKEN_PATH };
  // `test` of an expression with `g` or `y` would depend on the call before.
  const tokenPath = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''));
  const example = tokenPathExample ?? textFor(pattern);
  if (!tokenPath.test(example))
    report(
      `${path}.tokenPathExample`,
      tokenPathExample === undefined
        ? 'is missing. Set it to an ending that tokenPath accepts, such as /oauth2/token.'
        : 'does not match tokenPath.',
    );
  return { tokenPath, tokenPathExample: example };
}

function flawOfName(value: unknown): Flaw {
  if (typeof value !== 'string' || value === '') return 'must be a name.';
  return value.length <= 40 && NAME.test(value)
    ? undefined
    : 'must begin with a small letter and have only letters, digits, and single - or _ between them, at most 40 in all.';
}

/**
 * A text that most expressions for the end of a path accept: `/v0/token` for `/\/v\d+\/token\/?$/`. It takes the first of several
 * texts, leaves out what may be missing, and knows one character of each common kind.
 */
function textFor({ source }: RegExp): string {
  const text = source
    .replace(/^\^/, '')
    .replace(/\$$/, '')
    .replaceAll(/\([^()]*\)[?*]/g, '')
    .replaceAll(/\((?:\?:|\?<\w+>)?([^()|]*)(?:\|[^()]*)?\)/g, '$1')
    .replaceAll(/\[\^.+?\]/g, 'x')
    .replaceAll(/\[(\\?.).*?\]/g, '$1')
    .replaceAll(/\\d/g, '0')
    .replaceAll(/\\w/g, 'x')
    .replaceAll(/\\?.\?/g, '')
    .replaceAll(/(.)\{(\d{1,3})(?:,\d*)?\}/g, (_, one: string, times: string) => one.repeat(Number(times)))
    .replaceAll(/(?<!\\)[+*]/g, '')
    .replaceAll(/\\([/.-])/g, '$1');
  return text.startsWith('/') ? text : `/${text}`;
}
