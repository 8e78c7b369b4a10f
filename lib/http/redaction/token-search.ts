import { B64TOKEN } from '../../catalogue/wire.js';
import { base64Cores } from '../../secrets/base64-cores.js';
import { REDACTED } from '../../secrets/secret.js';
import { mayHoldEscapes, UnescapedText } from '../../secrets/unescaped-text.js';
import { PlainText, SearchPattern, type Span } from './search-pattern.js';

/** The characters of bearer tokens (RFC 6750), and the characters of their escapes. */
const PARTS = '\0ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=%\\&#;';

const IS_PART = tableOf(PARTS);

/** A text has no four NULs in a row, neither in UTF-16 nor in UTF-32. */
const NO_TEXT = '\0\0\0\0';

/** A shorter token is searched only as a whole and as text, because its parts and its dumps could be ordinary words. */
const SHORTEST_WITH_DUMPS = 16;

/** A server may cut off the rest. */
const LEAST_SHARE = 0.75;

/** Decoding needs ten bytes of memory for each character. A longer run of escapes and letters is dropped. */
const LONGEST_ESCAPED_RUN = 4 * 1024 * 1024;

/**
 * Removes one token from texts: in plain form, with escapes, in base64 or in hexadecimal digits, also without its last
 * quarter. The work is linear in the length of the text, for every token and every text (B28).
 */
export class TokenSearch {
  readonly #token: string;
  readonly #least: number;
  #isPart: Uint8Array | undefined;
  #patterns: readonly SearchPattern[] | undefined;

  constructor(token: string) {
    this.#token = token;
    this.#least = leastOf(token, token);
  }

  /** The same text if there is nothing to redact. */
  redact(text: string): string {
    if (this.#token === '' || text.length < this.#least) return text;
    const clean: string[] = [];
    let copied = 0;
    for (const { start, end } of this.#spans(text)) {
      clean.push(text.slice(copied, start), replacementAt(start, text));
      copied = end;
    }
    return copied === 0 ? text : clean.join('') + text.slice(copied);
  }

  *#spans(text: string): Generator<Span> {
    for (const { start, end } of this.#runs(text)) {
      const run = text.slice(start, end);
      const isPlain = !mayHoldEscapes(run);
      if (!isPlain && run.length > LONGEST_ESCAPED_RUN) yield { start, end };
      else
        for (const span of this.#spansOf(run, isPlain))
          yield { start: start + withoutNul(span.start, run), end: start + span.end };
    }
  }

  /**
   * The parts of a text that are long enough for the token, and in which each character may belong to a token or to an
   * escape. Looks at the last character of a part first, so ordinary words need few steps.
   */
  *#runs(text: string): Generator<Span> {
    this.#isPart ??= B64TOKEN.test(this.#token) ? IS_PART : tableOf(PARTS + this.#token);
    let start = 0;
    while (start + this.#least <= text.length) {
      let at = start + this.#least - 1;
      while (at >= start && this.#isPartAt(at, text)) at -= 1;
      if (at < start) {
        let end = start + this.#least;
        while (end < text.length && this.#isPartAt(end, text)) end += 1;
        yield { start, end };
        at = end;
      }
      start = at + 1;
    }
  }

  #isPartAt(at: number, text: string): boolean {
    const code = text.charCodeAt(at);
    return this.#isPart?.[code] === 1 && !(code === 0 && text.startsWith(NO_TEXT, at));
  }

  #spansOf(run: string, isPlain: boolean): readonly Span[] {
    this.#patterns ??= patternsOf(this.#token);
    const symbols = isPlain ? new PlainText(run) : new UnescapedText(run);
    return joined(this.#patterns.flatMap((pattern) => pattern.find(symbols)));
  }
}

/** For each character code: 1 if the character is in the text. */
function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(0x1_00_00);
  for (let index = 0; index < characters.length; index += 1) table[characters.charCodeAt(index)] = 1;
  return table;
}

function patternsOf(token: string): SearchPattern[] {
  const bytes = Buffer.from(token);
  const hex = bytes.toString('hex');
  const dumps = token.length < SHORTEST_WITH_DUMPS ? [] : [...base64Cores(bytes), hex, hex.toUpperCase()];
  return [token, ...dumps].map((form) => new SearchPattern(form, leastOf(form, token)));
}

/** The least number of characters of a form that is redacted. */
function leastOf(form: string, token: string): number {
  return token.length < SHORTEST_WITH_DUMPS ? form.length : Math.ceil(form.length * LEAST_SHARE);
}

/** Sorts the spans, and joins spans that overlap. */
function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return result;
}

/** A NUL before the first letter belongs to the text before it, or to the bytes of that letter, whose order is kept. */
function withoutNul(start: number, text: string): number {
  let at = start;
  while (text.charCodeAt(at) === 0) at += 1;
  return at;
}

/** In UTF-16 and UTF-32 the replacement has the same number of NULs between its letters as the token. */
function replacementAt(start: number, text: string): string {
  const gap = withoutNul(start + 1, text) - start - 1;
  return gap === 0 ? REDACTED : Array.from(REDACTED).join('\0'.repeat(gap));
}
