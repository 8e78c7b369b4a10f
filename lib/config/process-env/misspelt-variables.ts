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
 * @param registered the providers of the application, whose variables are not misspelt.
 */
export function misspeltVariables(
  catalogue: Catalogue,
  variables: NodeJS.ProcessEnv,
  registered: readonly Catalogue[] = [],
): ConfigProblem[] {
  const own = variablesOf(catalogue);
  const prefix = prefixOf(catalogue);
  // `Object.keys` would ask the system for each variable, and there may be thousands.
  return Reflect.ownKeys(variables).flatMap((variable) => {
    if (typeof variable !== 'string' || !variable.startsWith(prefix) || own.includes(variable)) return [];
    if (!variables[variable]) return [];
    const near = nearestName(variable, own);
    if (near === undefined || editDistance(variable, near) > MOST_TYPING_ERRORS) return [];
    if (registered.some((other) => isOf(other, variable, prefix))) return [];
    const message = `is not a variable of this module. Did you mean ${near}?`;
    return [{ path: `environment variable ${variable}`, env: variable, message }];
  });
}

function prefixOf({ name }: Catalogue): string {
  return `${capitals(name)}_`;
}

/** Whether a variable begins with the longer name of another provider, or is one of its variables. */
function isOf(other: Catalogue, variable: string, prefix: string): boolean {
  const start = prefixOf(other);
  return (
    variable.startsWith(start) && (start.length > prefix.length || variablesOf(other).includes(variable))
  );
}
