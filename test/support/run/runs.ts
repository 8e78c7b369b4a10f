/**
 * The number of runs of a random test, which plays other orders and inputs in each run. `npm run nightly` makes `TEST_TIMES` times as
 * many.
 */
export function runs(count: number): number {
  return count * Number(process.env['TEST_TIMES'] ?? 1);
}

/** Plays the same calls in each run of `npm test`, and others in each run of `npm run nightly`. A failure prints its seed. */
export function seed(): number {
  const random = process.env['TEST_TIMES'] === undefined ? 1 : Math.floor(Math.random() * 2 ** 30);
  return Number(process.env['TEST_SEED'] ?? random);
}
