import { PROVIDER_INTERFACES } from '../catalogue/provider-catalogue.js';
import type { EnvironmentOrigin } from './environment-origin.js';
import { KNOWN_VARIABLES } from './environment-variables.js';
import { editDistance } from './nearest-name.js';

const NAMES = [...KNOWN_VARIABLES.keys()];

/** More letters than that, and it is another word. */
const SLIPS = 2;

/** `PROVIDER_EASY_PROD_BASE_URL`: the interface and the setting are ours, what stands between them is not. */
const OURS_AT_BOTH_ENDS = new RegExp(
  `^PROVIDER_(${PROVIDER_INTERFACES.join('|').toUpperCase()})_.*(TOKEN_URL|BASE_URL|CLIENT_ID|CLIENT_SECRET|CLIENT_SECRET_FILE|ENVIRONMENT)$`,
);

/**
 * A misspelt variable would leave out an environment, or an override, without a word. Only names that can hardly mean
 * anything else are refused: an application may have `PROVIDER_…` variables of its own.
 */
export function refuseMisspeltVariables(variables: NodeJS.ProcessEnv, origin: EnvironmentOrigin): void {
  for (const [variable, value] of Object.entries(variables)) {
    if (!value || !variable.startsWith('PROV') || KNOWN_VARIABLES.has(variable)) continue;
    const { nearest, distance } = nearestVariable(variable);
    if (distance > SLIPS && !OURS_AT_BOTH_ENDS.test(variable)) continue;
    origin.refuse({
      path: `environment variable ${variable}`,
      variable,
      message: `is not a variable of this module. Did you mean ${nearest}?`,
    });
  }
}

function nearestVariable(variable: string): { nearest: string; distance: number } {
  let [nearest, distance] = ['', Number.POSITIVE_INFINITY];
  for (const name of NAMES) {
    const letters = editDistance(variable, name);
    if (letters < distance) [nearest, distance] = [name, letters];
  }
  return { nearest, distance };
}
