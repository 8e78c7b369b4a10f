import { REDACTED } from '../secrets/secret.js';

/** Finds tokens in what a server repeats: plain, with the escapes of JSON, or percent-encoded. */
export class ReflectedTokens {
  readonly #pattern: RegExp | undefined;
  readonly #shortest: number;

  constructor(tokens: readonly string[]) {
    this.#shortest = Math.min(...tokens.map(({ length }) => length));
    const patterns = tokens.map((token) => Array.from(token, writtenAs).join(''));
    if (tokens.length > 0) this.#pattern = new RegExp(patterns.join('|'), 'gi');
  }

  /** Takes the tokens out of a text, of bytes, or of a list of both. Any other value stays as it is. */
  redact<Value>(value: Value): Value;
  redact(value: unknown): unknown {
    if (typeof value === 'string') return this.#redactText(value);
    if (Array.isArray(value)) return value.map((one: unknown) => this.redact(one));
    return Buffer.isBuffer(value) ? this.#redactBytes(value) : value;
  }

  #redactText(text: string): string {
    if (this.#pattern === undefined || text.length < this.#shortest) return text;
    return text.replaceAll(this.#pattern, REDACTED);
  }

  #redactBytes(bytes: Buffer): Buffer {
    const text = bytes.toString('latin1');
    const clean = this.#redactText(text);
    return clean === text ? bytes : Buffer.from(clean, 'latin1');
  }
}

/** The ways to write one character of a token, which is visible ASCII. */
function writtenAs(character: string): string {
  const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
  const plain = String.raw`\x${hex}`;
  return String.raw`(?:\\?${plain}|\\u00${hex}|%${hex})`;
}
