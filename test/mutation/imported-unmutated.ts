import { inject } from 'vitest';

/**
 * Stryker puts a mutant in force when the tests of a file begin, unless it is one that acts when modules are evaluated.
 * In a kept thread the last one would still be in force while the next file is imported.
 */
const told = inject as (key: string) => unknown;
const stryker: unknown = Reflect.get(globalThis, String(told('globalNamespace')));
if (told('mutantActivation') !== 'static' && typeof stryker === 'object' && stryker !== null)
  Reflect.set(stryker, 'activeMutant', undefined);
