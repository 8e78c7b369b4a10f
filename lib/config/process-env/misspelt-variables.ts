import {
  PROVIDER_ENVIRONMENTS,
  PROVIDER_INTERFACES,
  type ProviderEnvironment,
} from '../../catalogue/provider-catalogue.js';
import type { EnvironmentOrigin } from './variable-origin.js';
import { capitals, KNOWN_VARIABLES } from './variable-names.js';
import { editDistance, nearestName } from '../rules/nearest-name.js';

const NAMES = [...KNOWN_VARIABLES];

/** More letters than that, and it is another word. */
const SLIPS = 2;

/** What people call the environments, besides slips and beginnings of their names (`PROD`, `SAND`). */
const OTHER_WORDS: Readonly<Record<string, ProviderEnvironment>> = {
  live: 'production',
  prd: 'production',
  test: 'sandbox',
  sbx: 'sandbox',
};

/** The longest name first: the name of an interface may begin with the name of another. */
const OWNERS = PROVIDER_INTERFACES.map((name) => capitals(name)).toSorted(
  (one, other) => other.length - one.length,
);

const BEGINNING = new RegExp(
  `^PROVIDER_(${OWNERS.join('|')})_((${PROVIDER_ENVIRONMENTS.map(capitals).join('|')})_)?`,
);

/** The last words of our variables: `CLIENT_SECRET`, `CLIENT_SECRET_FILE`. None of an interface ends in another. */
const ENDINGS = [...new Set(NAMES.map((name) => name.replace(BEGINNING, '')))];

/**
 * A misspelt variable would leave out an environment, or an override, without a word. Only names that can hardly mean
 * anything else are refused: an application may have `PROVIDER_…` variables of its own.
 */
export function refuseMisspeltVariables(variables: NodeJS.ProcessEnv, origin: EnvironmentOrigin): void {
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
  // `PROVIDER_EASY_SANDBOX_CA`: the variables for TLS exist only as names of files.
  if (KNOWN_VARIABLES.has(`${variable}_FILE`)) return `${variable}_FILE`;
  return nearest(variable, NAMES, SLIPS) ?? meantWithOtherMiddle(variable);
}

/** `PROVIDER_EASY_PROD_BASE_URL`: its beginning and its end are ours, what stands between them names no environment. */
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
    // Two names differ by no fewer slips than their lengths do; counting only the rest keeps the boot quick.
    .filter((name) => Math.abs(name.length - variable.length) <= most)
    .map((name) => ({ name, slips: editDistance(variable, name) }))
    .filter(({ slips }) => slips <= most)
    .toSorted((one, other) => one.slips - other.slips);
  return best?.name;
}
