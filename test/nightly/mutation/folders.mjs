import { existsSync } from 'node:fs';

/** The files that a run changes. */
export function mutatedFiles(folder) {
  return [`${folder}/**/*.ts`];
}

export function hasUnitSpecs(folder) {
  return existsSync(folder.replace('lib/', 'test/unit/'));
}
