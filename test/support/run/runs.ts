/**
 * The number of runs of a random test, which plays other orders and inputs in each run. `npm run nightly` makes `TEST_TIMES` times as
 * many.
 */
export function runs(count: number): number {
  return count * Number(process.env['TEST_TIMES'] ?? 1);
}
