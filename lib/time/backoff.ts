/** A number from 0 up to but not including 1, as `Math.random`. */
export type Random = () => number;

/**
 * The length of a pause. Each pause is longer than the one before.
 *
 * @param earlier how many pauses came before this pause.
 */
export function backoffMs(
  pause: { readonly firstMs: number; readonly longestMs?: number; readonly factor?: number },
  earlier: number,
): number {
  const { firstMs, longestMs = Infinity, factor = 2 } = pause;
  return Math.min(firstMs * factor ** earlier, longestMs);
}

/**
 * Multiply a pause by this factor. Processes that failed at the same moment then do not ask again at the same moment.
 *
 * @param share 0.2 is a jitter of ±20 %.
 */
export function jitterFactor(random: Random, share = 0.2): number {
  return 1 + share * (2 * random() - 1);
}
