import { REDACTED } from '../secrets/secret.js';

/** How the characters of a bearer token that encoders touch come back: percent, JSON and HTML escapes, nested too. */
const ENCODED: Record<string, string> = Object.fromEntries(
  Array.from('-._~+/=', (character) => {
    const hex = character.charCodeAt(0).toString(16);
    const anyCase = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    const decimal = character.charCodeAt(0);
    return [
      character,
      `(?:\\\\*\\${character}|%(?:25)*${anyCase}|\\\\+u00${anyCase}|&(?:amp;)*#(?:[xX]0*${anyCase}|0*${decimal});)`,
    ] as const;
  }),
);

/**
 * Takes tokens out of what a server sent back (B12): servers repeat request headers in error bodies, headers and even
 * reason phrases. Only ever run on failures.
 */
export class TokenRedaction {
  readonly #patterns: readonly RegExp[];

  constructor(tokens: readonly string[]) {
    this.#patterns = tokens.map((token) => new RegExp(patternOf(token), 'g'));
  }

  text(text: string): string {
    let clean = text;
    for (const pattern of this.#patterns) clean = clean.replace(pattern, REDACTED);
    return clean;
  }

  /** The same bytes where there is nothing to redact; latin1 keeps every other byte as it is. */
  bytes(bytes: Buffer): Buffer {
    const text = bytes.toString('latin1');
    const clean = this.text(text);
    if (clean === text) return bytes;
    const alone = Buffer.alloc(clean.length);
    alone.write(clean, 'latin1');
    return alone;
  }

  /** Copies where something changes: a mock adapter's fixture stays what it was. */
  value(value: unknown, seen = new Map<object, unknown>()): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Buffer.isBuffer(value)) return this.bytes(value);
    if (value instanceof ArrayBuffer) return this.#arrayBuffer(value);
    const known = seen.get(value);
    if (known !== undefined) return known;
    seen.set(value, value);
    if (Array.isArray(value)) {
      const items: unknown[] = value.map((item) => this.value(item, seen));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    if (!isPlain(value)) return value;
    const entries = Object.entries(value);
    const clean = entries.map(([key, item]) => [this.text(key), this.value(item, seen)] as const);
    const touched = clean.some(
      ([key, item], index) => key !== entries[index]?.[0] || item !== entries[index][1],
    );
    return touched ? Object.fromEntries(clean) : value;
  }

  async blob(blob: Blob): Promise<Blob> {
    const bytes = Buffer.from(await blob.arrayBuffer());
    const clean = this.bytes(bytes);
    return clean === bytes ? blob : new Blob([new Uint8Array(clean)], { type: blob.type });
  }

  #arrayBuffer(value: ArrayBuffer): ArrayBuffer {
    const bytes = Buffer.from(value);
    const clean = this.bytes(bytes);
    return clean === bytes ? value : new Uint8Array(clean).buffer;
  }
}

function patternOf(token: string): string {
  return token.replace(/[^A-Za-z0-9]/g, (character) => ENCODED[character] ?? `\\${character}`);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
