import { type Catalogue, capitals } from '../../catalogue/catalogue.js';
import type { ConfigProblem } from '../../errors/provider-auth-config.error.js';
import { editDistance, nearestName } from '../rules/names.js';
import { variablesOf } from './variable-names.js';

/** A name with more different letters is another name. */
const MOST_TYPING_ERRORS = 2;

/**
 * The variables that are almost one of a provider. A misspelt variable would leave out an environment without an error, so it
 * is refused.
 *
 * @param names of the variables. An application with hundreds of providers lists them once.
 */
export function misspeltVariables(
  catalogue: Catalogue,
  variables: NodeJS.ProcessEnv,
  names: readonly string[] = Object.keys(variables),
): ConfigProblem[] {
  const own = variablesOf(catalogue);
  const prefix = `${capitals(catalogue.name)}_`;
  return names.flatMap((variable) => {
    if (!variable.startsWith(prefix) || own.includes(variable) || !variables[variable]) return [];
    const near = nearestName(variable, own);
    if (near === undefined || editDistance(variable, near) > MOST_TYPING_ERRORS) return [];
    const message = `is not a variable of this module. Did you mean ${near}?`;
    return [{ path: `environment variable ${variable}`, env: variable, message }];
  });
}
