/** A number from 0 up to but not including 1, as `Math.random`. */
export type Random = () => number;
