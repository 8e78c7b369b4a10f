import { axiosVersion } from '../../values/axios-version.js';

/**
 * The short way makes the configs that axios makes, and these are the lowest and the highest version that it was compared with.
 * With any other version, axios makes every call. Before you raise the highest version: `npm run nightly` with it, and read what
 * has changed in the files of axios that `lib/http/axios` names.
 */
export const COMPARED_AXIOS = { lowest: '1.20.0', highest: '1.21.1' } as const;

const BY_VERSION = new Intl.Collator('en', { numeric: true });

/** @param version of the axios that this module has loaded. */
export function isComparedAxios(version: unknown = axiosVersion()): boolean {
  const { lowest, highest } = COMPARED_AXIOS;
  return typeof version === 'string' && isAxiosSince(lowest, version) && isAxiosSince(version, highest);
}

/** Whether the axios that this module has loaded is not older than another version. */
export function isAxiosSince(other: string, version = axiosVersion()): boolean {
  return BY_VERSION.compare(version, other) >= 0;
}

/** The methods of an instance, by the place of their config. A body comes before it. */
export const METHODS = { get: 1, delete: 1, head: 1, options: 1, post: 2, put: 2, patch: 2 };

/**
 * Whether these are the methods that axios itself has. Instrumentation may have replaced them before this module was loaded, and
 * its functions must see each call. The methods of axios contain these texts also in a minified bundle.
 */
export function areMethodsOfAxios(
  prototype: Readonly<Record<'request' | keyof typeof METHODS, unknown>>,
): boolean {
  return (
    String(prototype.request).includes('this._request(') &&
    Object.keys(METHODS).every((method) => String(Reflect.get(prototype, method)).includes('this.request('))
  );
}
