import type { Symbols } from '../../secrets/unescaped-text.js';

/** Most texts do not contain the first characters of the pattern, and need no search. The number is small, so that the work stays linear. */
const SEED = 8;

/** A text without escapes. */
export class PlainText implements Symbols {
  readonly isPlain = true;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get length(): number {
    return this.#text.length;
  }

  mayHold(shortText: string): boolean {
    return this.#text.includes(shortText);
  }

  symbol(at: number): number {
    return this.#text.charCodeAt(at);
  }

  end(at: number): number {
    return at + 1;
  }
}

/** A part of a text, from its first place to the place after its last character. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds a pattern with the algorithm of Knuth, Morris and Pratt, from the end of the text to its start. In a text with
 * escapes a match may begin at any place, also inside another escape. But from each place there is only one way forward. So
 * each place has one state, which depends on the state at the end of its symbol. The work for one place is at most a few
 * steps more than the logarithm of the pattern's length, for each text and each pattern (B28).
 */
export class SearchPattern {
  readonly #pattern: string;
  /** The least number of characters of a match. */
  readonly #least: number;
  #fallbacks: Int32Array | undefined;

  /** @param least this many characters from the start of the pattern are a match too, because a server may cut off the rest. */
  constructor(pattern: string, least = pattern.length) {
    this.#pattern = pattern;
    this.#least = least;
  }

  /** The matches in the text, from left to right, without overlaps. */
  find(text: Symbols): Span[] {
    const spans: Span[] = [];
    if (this.#least === 0 || text.length < this.#least) return spans;
    if (!text.mayHold(this.#pattern.slice(0, Math.min(this.#least, SEED)))) return spans;
    let searched = 0;
    for (const start of this.#starts(text).toReversed()) {
      if (start < searched) continue;
      searched = this.#endOf(start, text);
      spans.push({ start, end: searched });
    }
    return spans;
  }

  /** The places at which matches begin, from right to left. */
  #starts(text: Symbols): number[] {
    const fallbacks = (this.#fallbacks ??= fallbacksOf(this.#reversed()));
    const pattern = this.#pattern;
    const last = this.#least - 1;
    // If all symbols are one character long, the last state is enough.
    const states = text.isPlain ? undefined : new Uint32Array(text.length + 1);
    const starts: number[] = [];
    let state = 0;
    for (let at = text.length - 1; at >= 0; at -= 1) {
      const symbol = text.symbol(at);
      if (states !== undefined) state = states[text.end(at)] ?? 0;
      while (state >= 0 && pattern.charCodeAt(last - state) !== symbol) state = fallbacks[state] ?? -1;
      state += 1;
      if (state > last) {
        starts.push(at);
        state = fallbacks[state] ?? 0;
      }
      if (states !== undefined) states[at] = state;
    }
    return starts;
  }

  /** A match ends where the text stops being equal to the pattern. */
  #endOf(start: number, text: Symbols): number {
    let at = start;
    for (let index = 0; index < this.#pattern.length && at < text.length; index += 1) {
      if (text.symbol(at) !== this.#pattern.charCodeAt(index)) break;
      at = text.end(at);
    }
    return at;
  }

  #reversed(): Uint16Array {
    return Uint16Array.from({ length: this.#least }, (_, index) =>
      this.#pattern.charCodeAt(this.#least - 1 - index),
    );
  }
}

/** For each number of characters that matched before a mismatch: the next number to try. */
function fallbacksOf(pattern: Uint16Array): Int32Array {
  const fallbacks = new Int32Array(pattern.length + 1);
  fallbacks[0] = -1;
  let candidate = 0;
  for (let index = 1; index < pattern.length; index += 1) {
    const isSame = pattern[index] === pattern[candidate];
    // The same character would fail again. Without this line, the work for one place could grow with the length of the pattern.
    fallbacks[index] = isSame ? (fallbacks[candidate] ?? -1) : candidate;
    while (candidate >= 0 && pattern[index] !== pattern[candidate]) candidate = fallbacks[candidate] ?? -1;
    candidate += 1;
  }
  fallbacks[pattern.length] = candidate;
  return fallbacks;
}
