import { SITE_VARIABLE } from '../package/built-site.js';
import { temporaryDirectory } from '../package/packed-package.js';

/** Makes a folder for the site of the manual. Two suites use this setup. The first one makes the folder for both. */
export default async function makeFolder(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[SITE_VARIABLE] !== undefined) return undefined;
  const { path, remove } = await temporaryDirectory();
  process.env[SITE_VARIABLE] = path;
  return async () => {
    delete process.env[SITE_VARIABLE];
    await remove();
  };
}
