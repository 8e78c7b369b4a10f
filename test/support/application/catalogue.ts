import { afterAll, beforeAll, vi } from 'vitest';

const CATALOGUE = '../../../lib/catalogue/provider-catalogue.js';

/**
 * Adds interfaces to the catalogue for the tests of a file, with one token URL for each environment. The tests import the
 * library themselves, because each file gets its own copy of the modules. No copy is left when the tests have ended.
 */
export function addInterfaces(names: readonly string[], path: string): void {
  beforeAll(() => {
    vi.resetModules();
    vi.doMock(CATALOGUE, async (original) => {
      const today = await original<typeof import('../../../lib/catalogue/provider-catalogue.js')>();
      const added = {
        tokenUrlPer: 'environment',
        tokenPath: new RegExp(`${path}$`),
        tokenPathExample: path,
      };
      return {
        ...today,
        PROVIDER_CATALOGUE: {
          ...today.PROVIDER_CATALOGUE,
          ...Object.fromEntries(names.map((name) => [name, added])),
        },
      };
    });
  });
  afterAll(() => {
    vi.doUnmock(CATALOGUE);
    vi.resetModules();
  });
}
