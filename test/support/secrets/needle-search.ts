const ENTRANCE = 4;
const ROOMS = 0xffff;

/**
 * Looks for thousands of needles in one pass over a text: a token alone has nearly a thousand, and a suite reads hundreds
 * of megabytes. Four characters in a row name a room, and only a room with needles in it is looked into.
 */
export class NeedleSearch<Meaning> {
  readonly #rooms: ([needle: string, meaning: Meaning][] | undefined)[] = [];
  readonly #known = new Set<string>();

  /** The first meaning of a needle stands. */
  add(needle: string, meaning: Meaning): void {
    if (needle.length < ENTRANCE) throw new RangeError('A needle this short turns up everywhere.');
    if (this.#known.has(needle)) return;
    this.#known.add(needle);
    let room = 0;
    for (let at = 0; at < ENTRANCE; at += 1) room = next(room, needle, at);
    (this.#rooms[room] ??= []).push([needle, meaning]);
  }

  /** What the needles in a text mean. */
  in(text: string): Set<Meaning> {
    const found = new Set<Meaning>();
    let room = 0;
    for (let at = 0; at < text.length; at += 1) {
      room = next(room, text, at);
      for (const [needle, meaning] of this.#rooms[room] ?? []) {
        if (text.startsWith(needle, at + 1 - ENTRANCE)) found.add(meaning);
      }
    }
    return found;
  }
}

function next(room: number, text: string, at: number): number {
  return ((room << 4) ^ text.charCodeAt(at)) & ROOMS;
}
