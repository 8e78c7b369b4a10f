import * as fc from 'fast-check';

/** Mostly absent, so that most calls stay ordinary, and a failing call shrinks to a call without the member. */
export function seldom<T>(arbitrary: fc.Arbitrary<T>, oneIn = 8): fc.Arbitrary<T | undefined> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: oneIn - 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary },
  );
}

/** The names of a table, for plans that can be printed. The first name is the simplest. */
export function nameIn<T extends object>(table: T): fc.Arbitrary<keyof T & string> {
  return fc.constantFrom(...(Object.keys(table) as (keyof T & string)[]));
}
