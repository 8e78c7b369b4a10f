/** A number from 0 up to but not including 1, as `Math.random`. */
export type Random = () => number;

/** The factor of a pause with a jitter of ±20 %: processes that failed at the same moment do not ask again together. */
export function jitterFactor(random: Random): number {
  return 0.8 + 0.4 * random();
}
