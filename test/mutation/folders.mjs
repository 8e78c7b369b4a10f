import { existsSync } from 'node:fs';

/** The name for the files of the module itself, which are not in a folder of lib. */
export const MODULE = 'lib/module';

/** The files that a run changes. */
export function mutatedFiles(folder) {
  return folder === MODULE ? ['lib/*.ts', 'lib/module/**/*.ts'] : [`${folder}/**/*.ts`];
}

export function hasUnitSpecs(folder) {
  return existsSync(folder.replace('lib/', 'test/unit/'));
}
