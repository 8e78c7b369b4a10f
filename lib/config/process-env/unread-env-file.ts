import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Catalogue, capitals } from '../../catalogue/catalogue.js';
import { safely } from '../../values/safely.js';

/** A line that sets a variable of an interface to some value. */
function lineOf({ name, interfaces }: Catalogue): RegExp {
  const owner = `${capitals(name)}_(?:${interfaces.map(capitals).join('|')})`;
  return new RegExp(`^[ \\t]*(?:export[ \\t]+)?${owner}_\\w+[ \\t]*[=:][ \\t]*\\S`, 'm');
}

/**
 * What to do if no variable of any interface is set (B29). Most often the variables are in a `.env` file that the process
 * does not read, while the doctor reads it and finds nothing wrong.
 */
export function adviceOnMissingVariables(catalogue: Catalogue): string {
  // It throws if the directory was removed.
  const folder = safely(() => process.cwd(), '(unknown)');
  const text = safely(() => readFileSync(join(folder, '.env'), 'utf8'), '');
  return lineOf(catalogue).test(text)
    ? `The file .env in the working directory, ${folder}, has such variables, but it was not read. Import ConfigModule.forRoot() in the root module.`
    : `Pass them to this process. If they are in a .env file: ConfigModule.forRoot() reads it from the working directory, which is ${folder}.`;
}
