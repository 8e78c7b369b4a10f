const HASHED = 4;
const LARGEST_HASH = 0xffff;

/**
 * Searches a text for thousands of needles in one pass. A token alone has nearly a thousand needles, and a suite searches
 * hundreds of megabytes. The search hashes each four characters in a row and compares only needles with the same hash.
 */
export class NeedleSearch<Meaning> {
  readonly #needlesByHash: ([needle: string, meaning: Meaning][] | undefined)[] = [];
  readonly #known = new Set<string>();

  /** If a needle is added twice, its first meaning counts. */
  add(needle: string, meaning: Meaning): void {
    if (needle.length < HASHED) throw new RangeError('A needle this short appears in ordinary texts.');
    if (this.#known.has(needle)) return;
    this.#known.add(needle);
    let hash = 0;
    for (let at = 0; at < HASHED; at += 1) hash = next(hash, needle, at);
    (this.#needlesByHash[hash] ??= []).push([needle, meaning]);
  }

  /** The meanings of all needles in a text. */
  in(text: string): Set<Meaning> {
    const found = new Set<Meaning>();
    let hash = 0;
    for (let at = 0; at < text.length; at += 1) {
      hash = next(hash, text, at);
      for (const [needle, meaning] of this.#needlesByHash[hash] ?? []) {
        if (text.startsWith(needle, at + 1 - HASHED)) found.add(meaning);
      }
    }
    return found;
  }
}

function next(hash: number, text: string, at: number): number {
  return ((hash << 4) ^ text.charCodeAt(at)) & LARGEST_HASH;
}
