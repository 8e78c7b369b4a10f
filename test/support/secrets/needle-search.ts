/** A needle is found by its first characters: no needle is shorter. */
const WINDOW = 8;
const BLOCK = 4;
const HASHES = 2 ** 16;

/**
 * Searches a text for thousands of needles in one pass. A token alone has nearly a thousand needles, and a suite searches
 * hundreds of megabytes. The last four characters of a window say how far away the next needle is at least, so the search looks at
 * about one place in five (Wu and Manber).
 */
export class NeedleSearch<Meaning> {
  /** By the hash of a block: how far the window may move, because the block appears in no first characters of a needle before. */
  readonly #moves = new Uint8Array(HASHES).fill(WINDOW - BLOCK + 1);
  /** By the hash of the last block in their window. */
  readonly #needles: ([needle: string, meaning: Meaning][] | undefined)[] = [];
  readonly #known = new Set<string>();

  /** If a needle is added twice, its first meaning counts. */
  add(needle: string, meaning: Meaning): void {
    if (needle.length < WINDOW) throw new RangeError('A needle this short appears in ordinary texts.');
    if (this.#known.has(needle)) return;
    this.#known.add(needle);
    for (let end = BLOCK; end <= WINDOW; end += 1) {
      const hash = hashOfBlock(needle, end);
      this.#moves[hash] = Math.min(this.#moves[hash] ?? 0, WINDOW - end);
    }
    (this.#needles[hashOfBlock(needle, WINDOW)] ??= []).push([needle, meaning]);
  }

  /** The meanings of all needles in a text. */
  in(text: string): Set<Meaning> {
    const found = new Set<Meaning>();
    for (let end = WINDOW; end <= text.length;) {
      const hash = hashOfBlock(text, end);
      const move = this.#moves[hash] ?? 0;
      if (move === 0) {
        for (const [needle, meaning] of this.#needles[hash] ?? [])
          if (text.startsWith(needle, end - WINDOW)) found.add(meaning);
      }
      end += Math.max(move, 1);
    }
    return found;
  }
}

/** Of the block of characters before `end`. */
function hashOfBlock(text: string, end: number): number {
  let hash = 0;
  for (let at = end - BLOCK; at < end; at += 1) hash = hash * 31 + text.charCodeAt(at);
  return hash % HASHES;
}
