import { type Catalogue, capitals, definedCatalogues } from '../../catalogue/catalogue.js';
import type { ConfigProblem } from '../../errors/provider-auth-config.error.js';
import { oncePer } from '../../values/once-per.js';
import { settingsOfPair, variablesOf } from './variable-names.js';
import { editDistance, nearestName } from '../rules/names.js';

/** A name with more different letters is another name. */
const MOST_TYPING_ERRORS = 2;

/** `APP_ENVIRONMENT` is no typing error of `ERP_ENVIRONMENT`: many variables resemble those of a provider with a short name. */
const LONG_PREFIX = 6;

/** Words for the same environment. Typing errors and short forms (`PROD`, `SAND`) need no entry. */
const SAME_WORDS: readonly (readonly string[])[] = [
  ['production', 'live', 'prd'],
  ['sandbox', 'test', 'sbx'],
];

interface Names {
  readonly known: ReadonlySet<string>;
  readonly environments: readonly string[];
  readonly prefix: string;
  /** `PROVIDER_EASY_`. The longest first, because the name of one interface can start with the name of another. */
  readonly starts: readonly string[];
  /** The last words of the variables: `CLIENT_SECRET`, `CLIENT_SECRET_FILE`. */
  readonly endings: readonly string[];
}

/** Made once, because each application asks about the same providers many times. */
const namesOf = oncePer((catalogue: Catalogue): Names => {
  const { interfaces, environments } = catalogue;
  const known = new Set(variablesOf(catalogue));
  const prefix = capitals(catalogue.name);
  const owners = interfaces.map(capitals).toSorted((one, other) => other.length - one.length);
  const beginning = new RegExp(
    `^${prefix}_(${owners.join('|')})_((${environments.map(capitals).join('|')})_)?`,
  );
  return {
    known,
    environments,
    prefix,
    starts: owners.map((owner) => `${prefix}_${owner}_`),
    endings: [...new Set([...known].map((name) => name.replace(beginning, '')))],
  };
});

/**
 * What looks like a variable of the provider, and is none. A misspelt variable would leave out an environment without an error.
 * Only names that are very similar to a variable of this module are refused, because an application may have its own
 * `PROVIDER_…` variables. The validation asks, because some modules may be registered only after the variables were read.
 */
export function strangersOf(
  catalogue: Catalogue,
  variables: NodeJS.ProcessEnv,
  registered: readonly Catalogue[],
) {
  const names = namesOf(catalogue);
  const misspelt: ConfigProblem[] = [];
  const besideRight: ConfigProblem[] = [];
  // The others under its name, for a warning (B35).
  const unknown: string[] = [];
  const foreign = variables === process.env ? foreignInProcess(registered) : foreignIn(variables, registered);
  for (const variable of foreign) {
    const meant = meantVariable(variable, names);
    if (meant === undefined) {
      if (isUnder(variable, names) && !isUnderLongerName(variable, names, registered)) unknown.push(variable);
      continue;
    }
    if (variable.endsWith('_ENV') && variables[meant]) continue;
    if (belongsToAnother(variable, catalogue, registered)) continue;
    const problem = {
      path: `environment variable ${variable}`,
      env: variable,
      message: `is not a variable of this module. Did you mean ${meant}?`,
    };
    const isBesideRight = variables[meant] && !variable.startsWith(`${names.prefix}_`);
    (isBesideRight ? besideRight : misspelt).push(problem);
  }
  // Several under another prefix, while the right ones are set, are of another service that has the same variables.
  if (besideRight.length === 1) misspelt.push(...besideRight);
  return { misspelt, unknown: unknown.map((variable) => withReason(variable, catalogue, names)) };
}

/**
 * All providers that this process has defined, registered or not. Services of one repository may share their definitions and their
 * variables. The doctor may read a definition that another copy of this package made: only `registered` has it.
 */
function knownWith(registered: readonly Catalogue[]): readonly Catalogue[] {
  return [...definedCatalogues(), ...registered];
}

/** The variables that have a value and are of no known provider. */
function foreignIn(variables: NodeJS.ProcessEnv, registered: readonly Catalogue[]): readonly string[] {
  const known = new Set(knownWith(registered).flatMap(variablesOf));
  // With thousands of variables, `Object.entries(process.env)` takes seconds: Node searches the block of the process for each.
  return Object.getOwnPropertyNames(variables).filter(
    (variable) => !known.has(variable) && variables[variable],
  );
}

/** Once for each boot, because the list of all variables is long if there are hundreds of providers (B31). */
const foreignInProcess = oncePer((registered: readonly Catalogue[]) => foreignIn(process.env, registered));

/** With a short name of a provider, only what begins with one of its interfaces is surely meant for it. */
function isUnder(variable: string, { prefix, starts }: Names): boolean {
  if (prefix.length >= LONG_PREFIX) return variable.startsWith(`${prefix}_`);
  return starts.some((start) => variable.startsWith(start));
}

/** Whether a variable begins with the name of another provider, which is longer. */
function isUnderLongerName(variable: string, { prefix }: Names, registered: readonly Catalogue[]): boolean {
  return knownWith(registered)
    .map(({ name }) => `${capitals(name)}_`)
    .some((start) => start.length > prefix.length + 1 && variable.startsWith(start));
}

/**
 * A setting of another kind of client only gets its reason, and is not refused: the definition may change after the variables.
 * The warning says what to do, so the reason is the first sentence.
 */
function withReason(variable: string, catalogue: Catalogue, { known }: Names): string {
  for (const pair of catalogue.pairs) {
    const unused = settingsOfPair(catalogue, pair).find((one) =>
      [one.variable, one.fileVariable].includes(variable),
    );
    const refusal = unused?.setting.refusal?.({ catalogue, ...pair });
    if (refusal !== undefined) return `${variable} (${refusal.replace(/\..*/, '')})`;
  }
  const near = nearestName(variable, [...known]);
  return near === undefined ? variable : `${variable} (did you mean ${near}?)`;
}

function meantVariable(variable: string, names: Names): string | undefined {
  const unabridged = variable.replace(/_ENV$/, '_ENVIRONMENT');
  if (names.known.has(unabridged)) return unabridged;
  // `PROVIDER_EASY_SANDBOX_CA`: the variables for TLS contain only the names of files.
  if (names.known.has(`${variable}_FILE`)) return `${variable}_FILE`;
  const isNear =
    variable.startsWith(`${names.prefix}_`) ||
    (names.prefix.length >= LONG_PREFIX && mayBeNear(variable, names.prefix, MOST_TYPING_ERRORS));
  const similar = isNear ? nearest(variable, [...names.known], MOST_TYPING_ERRORS) : undefined;
  return similar ?? meantWithOtherMiddle(variable, names);
}

/** `PROVIDER_EASY_PROD_BASE_URL`: the start and the end are correct, but the middle is not an environment. */
function meantWithOtherMiddle(
  variable: string,
  { known, environments, starts, endings }: Names,
): string | undefined {
  const owner = starts.find((start) => variable.startsWith(start));
  const ending = endings.find((end) => variable.endsWith(`_${end}`));
  if (owner === undefined || ending === undefined) return undefined;
  const middle = variable.slice(owner.length, -`_${ending}`.length).toLowerCase();
  // Another provider has this word for an environment of this one.
  const words = SAME_WORDS.find((same) => same.includes(middle));
  const environment = environments.find((one) => words?.includes(one)) ?? nearestName(middle, environments);
  if (environment === undefined && middle !== '') return undefined;
  const inEnvironment = `${owner}${capitals(environment ?? '')}_${ending}`;
  const siblings = [...known].filter((name) => name.startsWith(owner) && name.endsWith(`_${ending}`));
  return siblings.includes(inEnvironment)
    ? inEnvironment
    : nearest(variable, siblings, Number.POSITIVE_INFINITY);
}

/**
 * Whether a variable that looks misspelt is one of another provider of the application, or a typing error in one:
 * `BANK1_ENVIRONMENT` is no typing error of `BANK2_ENVIRONMENT`. To begin with the name of that provider is not enough.
 */
export function belongsToAnother(
  variable: string,
  catalogue: Catalogue,
  registered: readonly Catalogue[],
): boolean {
  const own = resemblance(variable, namesOf(catalogue));
  return registered
    .filter(({ name }) => name !== catalogue.name)
    .map((other) => resemblance(variable, namesOf(other)))
    .some(({ errors, beginning }) => errors === 0 || (beginning > own.beginning && errors <= own.errors));
}

/** The number of wrong letters, and how many letters of the name of the provider the variable begins with: all or none. */
function resemblance(
  variable: string,
  names: Names,
): { readonly errors: number; readonly beginning: number } {
  const meant = names.known.has(variable) ? variable : meantVariable(variable, names);
  return {
    errors: meant === undefined ? Number.POSITIVE_INFINITY : editDistance(variable, meant),
    beginning: variable.startsWith(`${names.prefix}_`) ? names.prefix.length : 0,
  };
}

/** With at most two typing errors, a third of the name or its prefix is unchanged. This is faster to see than the edit distance. */
function mayBeNear(variable: string, name: string, most: number): boolean {
  if (most > MOST_TYPING_ERRORS) return true;
  const third = Math.ceil(name.length / (MOST_TYPING_ERRORS + 1));
  return [0, third, 2 * third].some((start) => variable.includes(name.slice(start, start + third)));
}

function nearest(variable: string, names: readonly string[], most: number): string | undefined {
  const [best] = names
    // The edit distance is at least the difference of the lengths. Skipping the other names keeps the boot fast.
    .filter((name) => Math.abs(name.length - variable.length) <= most && mayBeNear(variable, name, most))
    .map((name) => ({ name, distance: editDistance(variable, name) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((one, other) => one.distance - other.distance);
  return best?.name;
}
