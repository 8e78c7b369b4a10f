import { REDACTED } from '../secrets/secret.js';
import { unpooledText } from '../secrets/unpooled-buffer.js';

/**
 * Finds tokens in what a server repeats: plain, with the escapes of JSON, or percent-encoded. The time is linear in the length of a
 * text, also if a hostile server nearly repeats a token thousands of times.
 */
export class ReflectedTokens {
  readonly #tokens: readonly string[];
  readonly #shortest: number;
  /** Made for the first text that is long enough: most headers are not. */
  #searched: readonly SearchedToken[] | undefined;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
    this.#shortest = Math.min(...tokens.map(({ length }) => length));
  }

  /** Takes the tokens out of a text, of bytes, or of a list of both. Any other value stays as it is. */
  redact<Value>(value: Value): Value;
  redact(value: unknown): unknown {
    if (typeof value === 'string') return this.#redactText(value);
    if (Array.isArray(value)) return value.map((one: unknown) => this.redact(one));
    return Buffer.isBuffer(value) ? this.#redactBytes(value) : value;
  }

  #redactText(text: string): string {
    if (text.length < this.#shortest) return text;
    this.#searched ??= this.#tokens.map((token) => new SearchedToken(token.toLowerCase()));
    let clean = text;
    for (const token of this.#searched) {
      clean = token.takeOutOf(clean, plainLength);
      // Apart, because a token may contain what looks like the other one.
      if (clean.includes('\\')) clean = token.takeOutOf(clean, jsonLength);
      if (clean.includes('%')) clean = token.takeOutOf(clean, percentLength);
    }
    return clean;
  }

  #redactBytes(bytes: Buffer): Buffer {
    const text = bytes.toString('latin1');
    const clean = this.#redactText(text);
    return clean === text ? bytes : unpooledText(clean, 'latin1');
  }
}

/** Searches by the algorithm of Knuth, Morris and Pratt, which reads each character of the text once. */
class SearchedToken {
  /** For each number of matched characters, how many of them still match if the next one does not. */
  readonly #fallbacks: number[] = [0, 0];

  /** @param token in lower case. */
  constructor(private readonly token: string) {
    for (let length = 2; length <= token.length; length += 1)
      this.#fallbacks.push(this.#matchedWith(token.charAt(length - 1), this.#fallbacks[length - 1] ?? 0));
  }

  /** @param lengthAt how many characters of the text write the next character. */
  takeOutOf(text: string, lengthAt: (text: string, at: number) => number): string {
    const { length } = this.token;
    if (text.length < length) return text;
    /** Where the last characters begin. */
    const starts: number[] = [];
    let clean = '';
    let keptTo = 0;
    let matched = 0;
    for (let at = 0, count = 0; at < text.length; count += 1) {
      const end = at + lengthAt(text, at);
      starts[count % length] = at;
      matched = this.#matchedWith(characterIn(text, at, end), matched);
      at = end;
      if (matched < length) continue;
      clean += text.slice(keptTo, starts[(count + 1) % length]) + REDACTED;
      keptTo = end;
      matched = 0;
    }
    return clean + text.slice(keptTo);
  }

  #matchedWith(character: string, before: number): number {
    let matched = before;
    while (matched > 0 && this.token.charAt(matched) !== character) matched = this.#fallbacks[matched] ?? 0;
    return this.token.charAt(matched) === character ? matched + 1 : 0;
  }
}

const plainLength = (): number => 1;

/** `\u0041` writes one character. So does a backslash with the next character. */
function jsonLength(text: string, at: number): number {
  if (text.charAt(at) !== '\\' || at + 1 === text.length) return 1;
  return text.startsWith('u00', at + 1) && isHex(text, at + 4) ? 6 : 2;
}

/** `%41` writes one character. */
function percentLength(text: string, at: number): number {
  return text.charAt(at) === '%' && isHex(text, at + 1) ? 3 : 1;
}

function isHex(text: string, at: number): boolean {
  return /^[\da-f]{2}$/i.test(text.slice(at, at + 2));
}

/** In lower case. */
function characterIn(text: string, at: number, end: number): string {
  const character =
    end - at < 3 ? text.charAt(end - 1) : String.fromCharCode(Number.parseInt(text.slice(end - 2, end), 16));
  return character.toLowerCase();
}
