import { syncBuiltinESMExports } from 'node:module';

/** Replaces functions of a Node module. Call the result to put them back. */
export function exchangeBuiltIn<Module extends object>(
  builtIn: Module,
  functions: Partial<Module>,
): () => void {
  const names = Object.keys(functions) as (keyof Module)[];
  const before = Object.fromEntries(names.map((name) => [name, builtIn[name]]));
  const set = (all: object): void => {
    Object.assign(builtIn, all);
    syncBuiltinESMExports();
  };
  set(functions);
  return () => set(before);
}
