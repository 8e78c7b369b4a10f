import { type Catalogue, capitals, definedCatalogues } from '../../catalogue/catalogue.js';
import type { ConfigProblem } from '../../errors/provider-auth-config.error.js';
import { oncePer } from '../../values/once-per.js';
import { editDistance, nearestName } from '../rules/names.js';
import { variablesOf } from './variable-names.js';

/** A name with more different letters is another name. */
const MOST_TYPING_ERRORS = 2;

/** Many variables begin like those of a provider with a shorter name. Then the name of an interface must follow. */
const LONG_NAME = 6;

/**
 * The variables under the name of a provider that are none of its variables. A misspelt variable would leave out an environment
 * without an error, so it is refused. Any other variable is only a warning, because it may belong to another program.
 *
 * @param registered the providers of the application. The doctor may read a definition that another copy of this package made.
 */
export function strangersOf(
  catalogue: Catalogue,
  variables: NodeJS.ProcessEnv,
  registered: readonly Catalogue[],
) {
  const own = variablesOf(catalogue);
  const prefix = prefixOf(catalogue);
  const starts =
    catalogue.name.length >= LONG_NAME ? [prefix] : catalogue.interfaces.map((of) => prefix + capitals(of));
  const others = [...definedCatalogues(), ...registered];
  const misspelt: ConfigProblem[] = [];
  const unknown: string[] = [];
  const names =
    variables === process.env ? namesInProcess(registered) : Object.getOwnPropertyNames(variables);
  for (const variable of names) {
    if (!variable.startsWith(prefix) || own.includes(variable) || !variables[variable]) continue;
    if (others.some((other) => isOf(other, variable, prefix))) continue;
    const near = nearestName(variable, own);
    if (near !== undefined && editDistance(variable, near) <= MOST_TYPING_ERRORS)
      misspelt.push({
        path: `environment variable ${variable}`,
        env: variable,
        message: `is not a variable of this module. Did you mean ${near}?`,
      });
    else if (starts.some((start) => variable.startsWith(start)))
      unknown.push(near === undefined ? variable : `${variable} (did you mean ${near}?)`);
  }
  return { misspelt, unknown };
}

/**
 * Once for each boot, because an application may have hundreds of providers. Without the values: Node searches the block of the
 * process for each.
 */
const namesInProcess = oncePer((_registered: readonly Catalogue[]) =>
  Object.getOwnPropertyNames(process.env),
);

function prefixOf({ name }: Catalogue): string {
  return `${capitals(name)}_`;
}

/** Whether a variable is one of another provider, or begins with its longer name. */
function isOf(other: Catalogue, variable: string, prefix: string): boolean {
  const start = prefixOf(other);
  return (
    variable.startsWith(start) && (start.length > prefix.length || variablesOf(other).includes(variable))
  );
}
