import { inject } from 'vitest';

/**
 * Stryker activates a mutant when the tests of a file begin, except for static mutants, which act when a module is
 * evaluated. In a kept thread, the last mutant would still be active while the next file is imported.
 */
const provided = inject as (key: string) => unknown;
const stryker: unknown = Reflect.get(globalThis, String(provided('globalNamespace')));
if (provided('mutantActivation') !== 'static' && typeof stryker === 'object' && stryker !== null)
  Reflect.set(stryker, 'activeMutant', undefined);
