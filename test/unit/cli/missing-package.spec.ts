import { expect, it } from 'vitest';
import { missingPackage } from '../../../lib/cli/missing-package.js';

const failure = (message: string, code?: string) => Object.assign(new Error(message), code && { code });
const MISSING = "Cannot find package 'rxjs' imported from /app/main.js";

it.each([
  [failure(MISSING, 'ERR_MODULE_NOT_FOUND'), 'rxjs'],
  [failure("Cannot find module '@nestjs/common'\nRequire stack: …", 'MODULE_NOT_FOUND'), '@nestjs/common'],
])('B40: a package that Node misses is named, with what to do: %s', (error, name) => {
  expect(missingPackage(error)).toBe(`${name} is not installed. Install it: npm install ${name}`);
});

it.each([
  [failure(MISSING, 'ERR_UNKNOWN_FILE_EXTENSION')],
  [failure(MISSING, 'MODULE_NOT_FOUND_BY_OTHERS')],
  [failure(MISSING)],
  [{ message: MISSING, code: 'MODULE_NOT_FOUND' }],
  [failure(`Error: ${MISSING}`, 'MODULE_NOT_FOUND')],
  [failure("Cannot find module '/canary/main.js'", 'MODULE_NOT_FOUND')],
])('S10: any other error names no package: %s', (error) => {
  expect(missingPackage(error)).toBeUndefined();
});
