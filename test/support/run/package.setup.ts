import { pack, PACKED_VARIABLE, temporaryDirectory } from '../package/packed-package.js';

/** Packs the package once for all specs of the suite. */
export default async function packOnce(): Promise<() => Promise<void>> {
  const { path, remove } = await temporaryDirectory();
  process.env[PACKED_VARIABLE] = JSON.stringify(await pack(path));
  return async () => {
    delete process.env[PACKED_VARIABLE];
    await remove();
  };
}
