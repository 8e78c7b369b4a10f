import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

/** Replaces functions of a module of Node until the test ends, for every module that imports them. */
export function replaceBuiltIn<Module extends object>(builtIn: Module, functions: Partial<Module>): void {
  const names = Object.keys(functions) as (keyof Module)[];
  const before = Object.fromEntries(names.map((name) => [name, builtIn[name]]));
  Object.assign(builtIn, functions);
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(builtIn, before);
    syncBuiltinESMExports();
  });
}
