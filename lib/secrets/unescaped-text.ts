/** A text in which each place has a symbol and the place after that symbol. */
export interface Symbols {
  readonly length: number;
  /** Whether each symbol is one character of the text. */
  readonly isPlain: boolean;
  symbol(at: number): number;
  end(at: number): number;
  /** A quick test for a text of a few characters. If it returns false, the text does not occur. */
  mayHold(shortText: string): boolean;
}

const NUL = 0;
const HASH = codeOf('#');
const PERCENT = codeOf('%');
const AMPERSAND = codeOf('&');
const SEMICOLON = codeOf(';');
const BACKSLASH = codeOf('\\');

/** Represents any character that no token contains. */
const OTHER = 0xfffd;

/** The letter after a backslash, and the number of hexadecimal digits after this letter. */
const HEX_DIGITS = new Map([
  [codeOf('u'), 4],
  [codeOf('x'), 2],
]);

/** Named character references: the characters of a token, and the characters that begin or end other escapes. */
const NAMED = new Map(
  Object.entries({
    amp: '&',
    AMP: '&',
    bsol: '\\',
    equals: '=',
    lowbar: '_',
    UnderBar: '_',
    num: '#',
    percnt: '%',
    period: '.',
    plus: '+',
    semi: ';',
    sol: '/',
  }),
);
const LONGEST_NAME = Math.max(...[...NAMED.keys()].map(({ length }) => length));

/** Whether a text may contain escapes. NUL counts, because it separates ASCII letters in UTF-16. */
export function mayHoldEscapes(text: string): boolean {
  return ['\\', '%', '&', '\0'].some((character) => text.includes(character));
}

function beginsEscape(code: number): boolean {
  return code === BACKSLASH || code === PERCENT || code === AMPERSAND || code === NUL;
}

/**
 * A text without its escapes: percent-encoding, backslash escapes and character references, nested to any depth. A NUL is
 * dropped.
 *
 * For each place, this class knows the symbol that begins there and the place after that symbol. The constructor reads the
 * text from its end, so the parts of each escape are already decoded. The work is linear in the length of the text (B28):
 * an incomplete escape becomes a symbol that ends every other escape, so no part is read again and again.
 */
export class UnescapedText implements Symbols {
  readonly isPlain = false;
  readonly #text: string;
  readonly #symbols: Uint16Array;
  readonly #ends: Uint32Array;
  /** For each ASCII symbol whether it occurs. */
  readonly #occurs = new Uint8Array(128);
  /** The place after the last decoded symbol. */
  #end = 0;

  constructor(text: string) {
    this.#text = text;
    this.#symbols = new Uint16Array(text.length);
    this.#ends = new Uint32Array(text.length);
    for (let at = text.length - 1; at >= 0; at -= 1) {
      const symbol = this.#decode(text.charCodeAt(at), at + 1);
      this.#symbols[at] = symbol;
      this.#ends[at] = this.#end;
      this.#occurs[symbol] = 1;
    }
  }

  /** The whole text without escapes. */
  toString(): string {
    let read = '';
    for (let at = 0; at < this.length; at = this.end(at)) read += String.fromCharCode(this.symbol(at));
    return read;
  }

  get length(): number {
    return this.#text.length;
  }

  /** The symbol that begins at a place. */
  symbol(at: number): number {
    return this.#symbols[at] ?? OTHER;
  }

  /** The place after the symbol that begins at a place. */
  end(at: number): number {
    return this.#ends[at] ?? at + 1;
  }

  mayHold(shortText: string): boolean {
    return Array.from(shortText).every((character) => this.#occurs[codeOf(character)] !== 0);
  }

  /** Removes all layers of escaping from a character. Sets `#end` to the place after the escape. */
  #decode(code: number, after: number): number {
    let symbol = code;
    let end = after;
    while (end < this.length && beginsEscape(symbol)) {
      if (symbol === NUL || (symbol === BACKSLASH && this.#isQuoted(end))) return this.#copy(end);
      const decoded = this.#decodeLayer(symbol, end);
      if (decoded === undefined) break;
      symbol = decoded;
      end = this.#end;
    }
    this.#end = end;
    return symbol;
  }

  /** This place represents the same symbol as a later place. That symbol is already decoded. */
  #copy(from: number): number {
    this.#end = this.end(from);
    return this.symbol(from);
  }

  /** Whether a backslash leaves the next symbol unchanged: `\/` is a slash and `\%61` is an `a`, but `\n` is no letter. */
  #isQuoted(at: number): boolean {
    const first = this.#text.charCodeAt(at);
    return (first !== NUL && beginsEscape(first)) || !isWordCharacter(this.symbol(at));
  }

  #decodeLayer(symbol: number, from: number): number | undefined {
    if (symbol === PERCENT) return this.#hexadecimal(from, 2);
    if (symbol === AMPERSAND)
      return this.symbol(from) === HASH ? this.#numericReference(this.end(from)) : this.#namedReference(from);
    const digits = HEX_DIGITS.get(this.symbol(from));
    return digits === undefined ? undefined : this.#hexadecimal(this.end(from), digits);
  }

  #hexadecimal(from: number, digits: number): number | undefined {
    let value = 0;
    let at = from;
    for (let read = 0; read < digits; read += 1) {
      const digit = at < this.length ? digitOf(this.symbol(at)) : undefined;
      if (digit === undefined) return undefined;
      value = value * 16 + digit;
      at = this.end(at);
    }
    this.#end = at;
    return value;
  }

  /** `45;` or `x2d;` */
  #numericReference(from: number): number | undefined {
    const isHexadecimal = isLetterX(this.symbol(from));
    const radix = isHexadecimal ? 16 : 10;
    const first = isHexadecimal ? this.end(from) : from;
    let value = 0;
    let at = first;
    for (; at < this.length; at = this.end(at)) {
      const digit = digitOf(this.symbol(at)) ?? radix;
      if (digit >= radix) break;
      value = Math.min(value * radix + digit, OTHER);
    }
    if (at === first || at >= this.length || this.symbol(at) !== SEMICOLON) return undefined;
    this.#end = this.end(at);
    return value;
  }

  /** `amp;` */
  #namedReference(from: number): number | undefined {
    let name = '';
    let at = from;
    for (; at < this.length && this.symbol(at) !== SEMICOLON; at = this.end(at)) {
      if (name.length === LONGEST_NAME) return undefined;
      name += String.fromCharCode(this.symbol(at));
    }
    const character = NAMED.get(name);
    if (character === undefined || at >= this.length) return undefined;
    this.#end = this.end(at);
    return codeOf(character);
  }
}

function codeOf(character: string): number {
  return character.charCodeAt(0);
}

function isWordCharacter(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function isLetterX(code: number): boolean {
  return code === 88 || code === 120;
}

/** The value of a hexadecimal digit. */
function digitOf(code: number): number | undefined {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : undefined;
}
