import {
  PROVIDER_ENVIRONMENTS,
  PROVIDER_INTERFACES,
  type ProviderEnvironment,
} from '../../catalogue/provider-catalogue.js';
import type { VariableOrigin } from './variable-origin.js';
import { capitals, KNOWN_VARIABLES } from './variable-names.js';
import { editDistance, nearestName } from '../rules/nearest-name.js';

const NAMES = [...KNOWN_VARIABLES];

/** A name with more different letters is another name. */
const MOST_TYPING_ERRORS = 2;

/** Other words for the environments. Typing errors and short forms (`PROD`, `SAND`) need no entry. */
const OTHER_WORDS: Readonly<Record<string, ProviderEnvironment>> = {
  live: 'production',
  prd: 'production',
  test: 'sandbox',
  sbx: 'sandbox',
};

/** The longest name first, because the name of one interface can start with the name of another. */
const OWNERS = PROVIDER_INTERFACES.map((name) => capitals(name)).toSorted(
  (one, other) => other.length - one.length,
);

const BEGINNING = new RegExp(
  `^PROVIDER_(${OWNERS.join('|')})_((${PROVIDER_ENVIRONMENTS.map(capitals).join('|')})_)?`,
);

/** The last words of the variables: `CLIENT_SECRET`, `CLIENT_SECRET_FILE`. */
const ENDINGS = [...new Set(NAMES.map((name) => name.replace(BEGINNING, '')))];

/**
 * A misspelt variable would leave out an environment without an error. Only names that are very similar to a variable of
 * this module are refused, because an application may have its own `PROVIDER_…` variables.
 */
export function refuseMisspeltVariables(variables: NodeJS.ProcessEnv, origin: VariableOrigin): void {
  for (const [variable, value] of Object.entries(variables)) {
    if (!value || KNOWN_VARIABLES.has(variable)) continue;
    const meant = meantVariable(variable);
    if (meant === undefined || (variable.endsWith('_ENV') && variables[meant])) continue;
    origin.refuse({
      path: `environment variable ${variable}`,
      variable,
      message: `is not a variable of this module. Did you mean ${meant}?`,
    });
  }
}

function meantVariable(variable: string): string | undefined {
  const unabridged = variable.replace(/_ENV$/, '_ENVIRONMENT');
  if (KNOWN_VARIABLES.has(unabridged)) return unabridged;
  // `PROVIDER_EASY_SANDBOX_CA`: the variables for TLS contain only the names of files.
  if (KNOWN_VARIABLES.has(`${variable}_FILE`)) return `${variable}_FILE`;
  return nearest(variable, NAMES, MOST_TYPING_ERRORS) ?? meantWithOtherMiddle(variable);
}

/** `PROVIDER_EASY_PROD_BASE_URL`: the start and the end are correct, but the middle is not an environment. */
function meantWithOtherMiddle(variable: string): string | undefined {
  const owner = OWNERS.map((name) => `PROVIDER_${name}_`).find((start) => variable.startsWith(start));
  const ending = ENDINGS.find((end) => variable.endsWith(`_${end}`));
  if (owner === undefined || ending === undefined) return undefined;
  const middle = variable.slice(owner.length, -`_${ending}`.length).toLowerCase();
  const environment = OTHER_WORDS[middle] ?? nearestName(middle, PROVIDER_ENVIRONMENTS);
  if (environment === undefined && middle !== '') return undefined;
  const inEnvironment = `${owner}${capitals(environment ?? '')}_${ending}`;
  const siblings = NAMES.filter((name) => name.startsWith(owner) && name.endsWith(`_${ending}`));
  return siblings.includes(inEnvironment)
    ? inEnvironment
    : nearest(variable, siblings, Number.POSITIVE_INFINITY);
}

function nearest(variable: string, names: readonly string[], most: number): string | undefined {
  const [best] = names
    // The edit distance is at least the difference of the lengths. Skipping the other names keeps the boot fast.
    .filter((name) => Math.abs(name.length - variable.length) <= most)
    .map((name) => ({ name, distance: editDistance(variable, name) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((one, other) => one.distance - other.distance);
  return best?.name;
}
