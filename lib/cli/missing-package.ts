/** In either module system. A path in these texts is not shown. */
const MISSING = /^Cannot find (?:module|package) '((?:@[\w.-]{1,99}\/)?\w[\w.-]{0,99})'/;

/** What to do if Node found a package missing, for example a peer of this package. Undefined for any other error. */
export function missingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && String(error.code).endsWith('MODULE_NOT_FOUND')))
    return undefined;
  const name = MISSING.exec(error.message)?.[1];
  return name && `${name} is not installed. Install it: npm install ${name}`;
}
