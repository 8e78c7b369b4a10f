import {
  type AssertionEntry,
  BUILT_IN_NAME,
  capitals,
  type Catalogue,
  createCatalogue,
  type InterfaceEntry,
  type InterfaceTerms,
} from '../catalogue/catalogue.js';
import { WRITTEN_FIELDS } from '../catalogue/wire.js';
import { OptionsNode } from './options-node.js';
import { ProblemList } from './problem-list.js';
import { variablesOf } from './process-env/variable-names.js';
import { readAtOnce, readTexts } from './read-rows.js';
import { shownName } from './rules/names.js';
import { type Flaw, flawOfText, kindOf } from './rules/text-rules.js';
import { DEFINITION, SETTINGS } from './table/settings.js';

const NAME = /^[a-z][A-Za-z0-9]*([_-][A-Za-z0-9]+)*$/;

/** An interface or an environment with one of these names looks like a setting of an interface. */
const MEMBERS: readonly string[] = [SETTINGS.interface, SETTINGS.environment, SETTINGS.tls].flatMap((rows) =>
  Object.keys(rows).map(capitals),
);

/** The path of a simulated token URL, if the definition says nothing about it. */
const ANY_TOKEN_PATH = '/oauth2/token';

type Refuse = (path: string, message: string) => void;

/**
 * Checks the definition of a provider and makes its catalogue. Throws one `ProviderAuthConfigError` with all problems, when
 * the definition is made: not when an application with it starts.
 */
export function readDefinition(definition: unknown): Catalogue {
  const problems = new ProblemList();
  const refuse: Refuse = (path, message) => problems.add({ path, message });
  const root = OptionsNode.root(definition, problems, { label: '(definition)' });
  if (root === undefined) throw problems.toError('defineProvider');
  refuseUnknown(root, DEFINITION.provider);
  const given = root.read('name');
  const name = typeof given === 'string' ? given : '';
  const flaw = flawOfName(given);
  if (capitals(name) === capitals(BUILT_IN_NAME))
    refuse('name', 'is the name of the built-in provider. Choose another name.');
  if (flaw !== undefined) refuse('name', flaw);
  const environments = environmentsIn(root, refuse);
  const entries = entriesIn(root, refuse);
  const owner = flaw === undefined ? name : 'defineProvider';
  if (!problems.isEmpty) throw problems.toError(owner);
  const catalogue = createCatalogue(name, environments, entries);
  refuseSameVariables(catalogue, refuse);
  if (!problems.isEmpty) throw problems.toError(owner);
  return catalogue;
}

function environmentsIn(root: OptionsNode, refuse: Refuse): string[] {
  const given = root.read('environments');
  if (!Array.isArray(given) || given.length === 0) {
    refuse('environments', "must be a list of names with one name or more, such as ['test', 'live'].");
    return [];
  }
  const names = given.map((one: unknown) => (typeof one === 'string' ? one : ''));
  for (const [index, name] of names.entries()) refusePlaceName(`environments.${index}`, name, refuse);
  refuseTwins('environments', names, refuse);
  return names;
}

function entriesIn(root: OptionsNode, refuse: Refuse): Record<string, InterfaceEntry> {
  const terms = termsIn(root);
  const flaw = 'must be an object with one interface or more.';
  const node = root.child('interfaces', flaw);
  const names = node?.keys() ?? [];
  if (node === undefined || names.length === 0) {
    root.refuse('interfaces', flaw);
    return {};
  }
  refuseTwins('interfaces', names, refuse);
  const entries = names.map((name) => {
    refusePlaceName(node.pathOf(name), name, refuse);
    if (!node.has(name)) node.refuse(name, `must be an object, not ${kindOf(undefined)}.`);
    return [name, entryOf(node.section(name), terms)] as const;
  });
  if (root.has('assertion') && entries.every(([, { assertion }]) => assertion === undefined))
    root.refuse(
      'assertion',
      'is used only with clientAuth private_key_jwt, which no interface has. Set clientAuth, or remove assertion.',
    );
  return Object.fromEntries(entries);
}

function refusePlaceName(path: string, name: string, refuse: Refuse): void {
  const flaw = flawOfName(name);
  if (flaw !== undefined) refuse(path, flaw);
  if (MEMBERS.includes(capitals(name)) || name in {})
    refuse(path, 'is named like a member of the options or of every object. Choose another name.');
}

function refuseTwins(path: string, names: readonly string[], refuse: Refuse): void {
  for (const [index, name] of names.entries()) {
    const twin = names.slice(0, index).find((earlier) => capitals(earlier) === capitals(name));
    if (twin !== undefined)
      refuse(
        path,
        `has ${shownName(twin)} and ${shownName(name)}, which give the same variables. Rename one of them.`,
      );
  }
}

/** Two settings with one variable, or an environment whose variables look like those of another interface. */
function refuseSameVariables(catalogue: Catalogue, refuse: Refuse): void {
  for (const { interface: name, environment } of catalogue.pairs) {
    const start = `${capitals(name)}_${capitals(environment)}`;
    const other = catalogue.interfaces.find((one) => capitals(one) === start);
    if (other !== undefined)
      refuse(
        `interfaces.${other}`,
        `gives the same variables as the environment ${environment} of ${name}. Rename one of them.`,
      );
  }
  const seen = new Set<string>();
  for (const variable of variablesOf(catalogue)) {
    if (seen.has(variable))
      refuse(
        'interfaces',
        `gives the variable ${variable} to two settings. Rename an interface or an environment.`,
      );
    seen.add(variable);
  }
}

function entryOf(node: OptionsNode, terms: InterfaceTerms): InterfaceEntry {
  refuseUnknown(node, DEFINITION.interface);
  const { tokenUrlPer, tokenPath, tokenPathExample, ...own } = readAtOnce(node, DEFINITION.interface);
  const { assertion = assertionIn(node), ...merged } = termsIn(node, terms);
  const hasKey = own.clientAuth === 'private_key_jwt';
  if (!hasKey && node.has('assertion'))
    node.refuse('assertion', 'is used only with clientAuth private_key_jwt. Remove one of them.');
  return Object.freeze({
    tokenUrlPer,
    ...tokenPathIn(node, tokenPath, tokenPathExample),
    ...own,
    ...merged,
    assertion: hasKey ? assertion : undefined,
  });
}

/** The terms of a definition, or of one of its interfaces: what the interface has replaces what the definition has (B31). */
function termsIn(node: OptionsNode, ofDefinition?: InterfaceTerms): InterfaceTerms {
  const own = {
    ...readAtOnce(node, DEFINITION.terms),
    params: paramsIn(node),
    assertion: node.has('assertion') ? assertionIn(node) : undefined,
  };
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  // Copies: the application may change its lists after they were checked.
  return {
    ...ofDefinition,
    ...Object.fromEntries(
      given.map(([name, value]) => [name, Array.isArray(value) ? Object.freeze(value.slice()) : value]),
    ),
  };
}

function assertionIn(holder: OptionsNode): AssertionEntry {
  const node = holder.section('assertion');
  node.refuseUnknown(Object.keys(DEFINITION.assertion), 'a member of assertion');
  return Object.freeze(readAtOnce(node, DEFINITION.assertion));
}

/** The further fields of a token request. The form has each field once, so a field of the module is refused (B31). */
function paramsIn(node: OptionsNode): Readonly<Record<string, string>> | undefined {
  const params = node.child('params');
  return (
    params &&
    readTexts(params, (name, value) =>
      WRITTEN_FIELDS.some((field) => field === name)
        ? 'is a field that the module writes itself. Remove it.'
        : (flawOfText(name, 'Name the field.') ?? flawOfText(value)),
    )
  );
}

function tokenPathIn(
  node: OptionsNode,
  pattern: unknown,
  example: string | undefined,
): Pick<InterfaceEntry, 'tokenPath' | 'tokenPathExample'> {
  if (pattern === undefined) return { tokenPath: undefined, tokenPathExample: example ?? ANY_TOKEN_PATH };
  if (!(pattern instanceof RegExp)) {
    node.refuse('tokenPath', `must be a regular expression, not ${kindOf(pattern)}.`);
    return { tokenPath: undefined, tokenPathExample: ANY_TOKEN_PATH };
  }
  // `test` of an expression with `g` or `y` would depend on the call before.
  const tokenPath = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''));
  const tokenPathExample = example ?? textFor(pattern);
  if (!tokenPath.test(tokenPathExample))
    node.refuse(
      'tokenPathExample',
      !node.has('tokenPathExample')
        ? 'is missing. Set it to an ending that tokenPath accepts, such as /oauth2/token.'
        : 'does not match tokenPath.',
    );
  return { tokenPath, tokenPathExample };
}

function refuseUnknown(node: OptionsNode, rows: object): void {
  node.refuseUnknown(Object.keys({ ...rows, ...DEFINITION.terms }), 'a member of a definition');
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
