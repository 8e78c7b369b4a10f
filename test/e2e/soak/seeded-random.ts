/** Random numbers from a seed (mulberry32). The same seed gives the same numbers on each machine, so a soak can be repeated. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to but not including 1. */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  between(least: number, most: number): number {
    return least + (most - least) * this.next();
  }

  one<T>(values: readonly T[]): T {
    return found(values[Math.floor(this.next() * values.length)]);
  }

  weighted<T extends { readonly weight: number }>(values: readonly T[]): T {
    let left = this.next() * values.reduce((sum, { weight }) => sum + weight, 0);
    return found(values.find(({ weight }) => (left -= weight) < 0) ?? values.at(-1));
  }
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new RangeError('There is nothing to choose from.');
  return value;
}
