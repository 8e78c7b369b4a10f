import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorCode } from '../errors/error-code.js';
import { partsOf } from '../module/parts.js';
import type { AnyProvider } from '../testing/any-provider.js';
import { isObject } from '../values/objects.js';
import { CannotRun, isFile } from './environment.js';
import { missingPackage } from './missing-package.js';

/** All definitions that a module of the application exports. The module is imported, so its code runs. */
export async function definitionsIn(specifier: string): Promise<readonly AnyProvider[]> {
  const exported = await importFrom(specifier);
  // A CommonJS module is also its own default export.
  const values = [exported, exported['default']]
    .filter(isObject)
    .flatMap((holder): unknown[] => Object.values(holder));
  const definitions = values.filter((value) => partsOf(value) !== undefined);
  if (definitions.length === 0)
    throw new CannotRun(
      `${specifier} exports no definition. Export what defineProvider() returned from this file, or name the file that exports it.`,
    );
  return [...new Set(definitions)] as AnyProvider[];
}

/** Node may strip types, but it runs no decorators and resolves no .js to a .ts file. */
const SOURCE_FILE = /\.[cm]?tsx?$/;

/** Any other specifier may be the name of a package, or a file in one. */
const PATH = /^\.{0,2}[\\/]|^[^@].*\.[cm]?js$/;

const OWN_ERROR = /^(?:ProviderAuthConfig|TokenRequest)Error$/;

async function importFrom(specifier: string): Promise<Record<string, unknown>> {
  const file = resolve(specifier);
  let found: string | undefined;
  try {
    // If it is no file: a package of the application, from the folder in which the command runs.
    found = isFile(file) ? file : createRequire(join(process.cwd(), 'package.json')).resolve(specifier);
    return (await import(pathToFileURL(found).href)) as Record<string, unknown>;
  } catch (error) {
    if (found === undefined && PATH.test(specifier) && errorCode(error) === 'MODULE_NOT_FOUND')
      throw new CannotRun(
        `There is no file ${specifier}. Build the application first (npm run build), then name the compiled file that exports the definition.`,
      );
    // An error of this package, from any copy of it, names what to fix. Another error may contain settings (S10).
    const isOwn = error instanceof Error && OWN_ERROR.test(error.name);
    const why = isOwn ? error.message : ((found && missingPackage(error)) ?? errorCode(error) ?? 'it throws');
    const remedy = SOURCE_FILE.test(specifier) ? '. Name the compiled .js file instead' : '';
    throw new CannotRun(`${specifier} cannot be imported: ${why}${remedy}`);
  }
}
