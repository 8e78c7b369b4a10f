import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

/** Replaces functions of a Node module until the test ends. */
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
