import {
  type AssertionEntry,
  BUILT_IN_NAME,
  capitals,
  type Catalogue,
  createCatalogue,
  CREDENTIAL_OPTIONS,
  type InterfaceEntry,
  type InterfaceTerms,
  type ProviderTerms,
  SIGNING_ALGORITHMS,
} from '../catalogue/catalogue.js';
import { WRITTEN_FIELDS } from '../catalogue/wire.js';
import { HTTP_TOKEN } from '../values/http-text.js';
import { memberOf } from '../values/objects.js';
import { EnvironmentOptions, InterfaceSettings, TlsOptions } from './options/environment-options.js';
import type { InterfaceDefinition, ProviderDefinition } from './options/provider-definition.js';
import { variablesOf } from './process-env/variable-names.js';
import { listOf, oneOf, wholeNumber } from './rules/choice-rules.js';
import { shownName } from './rules/names.js';
import { type Flaw, flawOfText, kindOf } from '../secrets/text-rules.js';
import { flawOfResource } from './rules/url-rules.js';
import {
  declaredIn,
  flawOfObject,
  isSection,
  type Members,
  membersOf,
  orRefuse,
  pathOf,
  read,
  readTexts,
  type Report,
} from './setting.js';

const NAME = /^[a-z][A-Za-z0-9]*([_-][A-Za-z0-9]+)*$/;

/** An interface or an environment with one of these names looks like a setting of an interface. */
const MEMBERS: readonly string[] = [InterfaceSettings, EnvironmentOptions, TlsOptions].flatMap((Class) =>
  [...declaredIn(Class).keys()].map(capitals),
);

/** The path of a simulated token URL, if the definition says nothing about it. */
const ANY_TOKEN_PATH = '/oauth2/token';

const text =
  (flawOf: (text: string) => Flaw = () => undefined) =>
  (value: unknown): Flaw =>
    flawOfText(value) ?? flawOf(String(value));

const AssertionMembers = membersOf<AssertionEntry>(
  {
    audience: oneOf(['tokenUrl', 'issuer']),
    type: oneOf(['JWT', 'client-authentication+jwt']),
    certificate: oneOf(['x5t', 'x5t#S256', 'x5c'], 'x5t, x5t#S256 or x5c'),
    algorithm: oneOf(SIGNING_ALGORITHMS),
    lifetimeSeconds: wholeNumber(10, 600),
  },
  { audience: 'tokenUrl', type: 'JWT', lifetimeSeconds: 300 },
);

/** The members of a definition that one of its interfaces replaces. Without defaults, which would replace them, too. */
const TERMS = {
  grantType: text(),
  params: flawOfObject,
  assertion: { flawOf: flawOfObject, members: AssertionMembers },
  resource: (value) => (typeof value === 'string' ? flawOfResource : listOf(flawOfResource))(value),
  expiresIn: wholeNumber(1),
  tokenTypes: (value) => (value === 'any' ? undefined : listOf((one) => flawOfText(one))(value)),
  tokenCharacters: oneOf(['bearer', 'visible']),
  scheme: text((value) => (HTTP_TOKEN.test(value) ? undefined : 'must be one word, such as Bearer.')),
  refusedWith: (value) =>
    Array.isArray(value) &&
    value.every(Number.isInteger) &&
    ['401', '403', '401,403'].includes(value.join(','))
      ? undefined
      : 'must be [401], [403] or [401, 403].',
} satisfies Members<ProviderTerms>;

const InterfaceMembers = membersOf<InterfaceDefinition>(
  {
    ...TERMS,
    tokenUrlPer: oneOf(['environment', 'interface']),
    clientAuth: oneOf(Object.keys(CREDENTIAL_OPTIONS)),
    scope: text(),
    audience: text(),
    tokenPathExample: text((value) => (value.startsWith('/') ? undefined : 'must begin with a slash.')),
    tokenPath: (value) =>
      value instanceof RegExp ? undefined : `must be a regular expression, not ${kindOf(value)}.`,
  },
  { tokenUrlPer: 'environment' },
);

const DefinitionMembers = membersOf<ProviderDefinition>({
  name: { need: 'required', flawOf: flawOfProviderName },
  environments: {
    need: 'required',
    flawOf: (value) =>
      Array.isArray(value) && value.length > 0
        ? undefined
        : "must be a list of names with one name or more, such as ['test', 'live'].",
  },
  interfaces: {
    need: 'required',
    flawOf: (value) =>
      flawOfObject(value) === undefined && Object.keys(value as object).length > 0
        ? undefined
        : 'must be an object with one interface or more.',
  },
  ...TERMS,
});

const KIND = 'a member of a definition';

/**
 * Checks the definition of a provider and makes its catalogue. Throws one `ProviderAuthConfigError` with all problems, when
 * the definition is made: not when an application with it starts.
 */
export function readDefinition(definition: unknown): Catalogue {
  const unnamed = 'defineProvider';
  const given = orRefuse(
    (report) => (isSection(definition, '(definition)', report) ? definition : {}),
    unnamed,
  );
  const name = memberOf(given, 'name');
  const owner = flawOfProviderName(name) === undefined ? String(name) : unnamed;
  const catalogue = orRefuse((report) => catalogueOf(given, owner, report), owner);
  orRefuse((report) => refuseSameVariables(catalogue, report), owner);
  return catalogue;
}

function catalogueOf(given: object, owner: string, report: Report): Catalogue {
  const reading = { path: '', report, kind: KIND };
  const members: Partial<ProviderDefinition> = read(DefinitionMembers, given, reading);
  const { environments = [], interfaces = {}, assertion } = members;
  const names = environments.map((one: unknown) => (typeof one === 'string' ? one : ''));
  refuseNames('environments', names, report);
  refuseNames('interfaces', Object.keys(interfaces), report);
  const terms = termsIn(members, '', report);
  const entries: Record<string, InterfaceEntry> = {};
  for (const [of, own] of Object.entries<unknown>(interfaces)) {
    const path = pathOf('interfaces', of);
    if (isSection(own, path, report)) entries[of] = entryOf(own, path, terms, report);
  }
  if (assertion && Object.values(entries).every((entry) => entry.assertion === undefined))
    report(
      'assertion',
      'is used only with clientAuth private_key_jwt, which no interface has. Set clientAuth, or remove assertion.',
    );
  return createCatalogue(owner, names, entries);
}

function refuseNames(section: 'environments' | 'interfaces', names: readonly string[], report: Report): void {
  for (const [index, name] of names.entries()) {
    const path = section === 'environments' ? `${section}.${index}` : pathOf(section, name);
    const flaw = flawOfName(name);
    if (flaw !== undefined) report(path, flaw);
    if (MEMBERS.includes(capitals(name)) || name in {})
      report(path, 'is named like a member of the options or of every object. Choose another name.');
    const twin = names.slice(0, index).find((earlier) => capitals(earlier) === capitals(name));
    const both = [twin, name].map((one = '') => shownName(one)).join(' and ');
    if (twin !== undefined)
      report(section, `has ${both}, which give the same variables. Rename one of them.`);
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
  for (const variable of variablesOf(catalogue))
    if (seen.size === seen.add(variable).size)
      report(
        'interfaces',
        `gives the variable ${variable} to two settings. Rename an interface or an environment.`,
      );
}

function entryOf(given: object, path: string, terms: InterfaceTerms, report: Report): InterfaceEntry {
  const own = read(InterfaceMembers, given, { path, report, kind: KIND });
  const { tokenUrlPer = 'environment', clientAuth, scope, audience } = own;
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
function termsIn(members: ProviderTerms, holder: string, report: Report): InterfaceTerms {
  const terms: Record<string, unknown> = {};
  for (const name of Object.keys(TERMS)) {
    const value = Reflect.get(members, name) as unknown;
    // Copies: the application may change its lists after they were checked.
    if (value !== undefined) terms[name] = Array.isArray(value) ? Object.freeze(value.slice()) : value;
  }
  if (members.params)
    terms['params'] = readTexts(members.params, flawOfParam, { path: pathOf(holder, 'params'), report });
  return terms;
}

/** A further field of a token request. The form has each field once, so a field of the module is refused. */
function flawOfParam(name: string, value: unknown): Flaw {
  return WRITTEN_FIELDS.some((field) => field === name)
    ? 'is a field that the module writes itself. Remove it.'
    : (flawOfText(name, 'Name the field.') ?? flawOfText(value));
}

function tokenPathIn(
  { tokenPath: pattern, tokenPathExample }: InterfaceDefinition,
  path: string,
  report: Report,
): Pick<InterfaceEntry, 'tokenPath' | 'tokenPathExample'> {
  if (pattern === undefined)
    return { tokenPath: undefined, tokenPathExample: tokenPathExample ?? ANY_TOKEN_PATH };
  // `test` of an expression with `g` or `y` would depend on the call before.
  const tokenPath = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''));
  if (tokenPathExample !== undefined && !tokenPath.test(tokenPathExample))
    report(`${path}.tokenPathExample`, 'does not match tokenPath.');
  const text = tokenPathExample ?? textFor(pattern);
  // For messages, the expression says how a path must end. A simulator of such a path needs an example.
  return { tokenPath, tokenPathExample: tokenPath.test(text) ? text : pattern.source };
}

function flawOfProviderName(value: unknown): Flaw {
  return typeof value === 'string' && capitals(value) === capitals(BUILT_IN_NAME)
    ? 'is the name of the built-in provider. Choose another name.'
    : flawOfName(value);
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
    .replaceAll(/^\^|\$$|\([^()]*\)[?*]/g, '')
    .replaceAll(/\((?:\?:|\?<\w+>)?([^()|]*)(?:\|[^()]*)?\)/g, '$1')
    .replaceAll(/\\w|\[\^.+?\]/g, 'x')
    .replaceAll(/\[(\\?.).*?\]/g, '$1')
    .replaceAll('\\d', '0')
    .replaceAll(/\\?.\?/g, '')
    .replaceAll(/(.)\{(\d{1,3})(?:,\d*)?\}/g, (_, one: string, times: string) => one.repeat(Number(times)))
    .replaceAll(/(?<!\\)[+*]/g, '')
    .replaceAll('\\', '');
  return text.startsWith('/') ? text : `/${text}`;
}
