/** What cannot stand in a header as bytes: axios leaves it out too. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]+/g;
const EDGES = /^[\t ]+|[\t ]+$/g;
const NEEDS_CARE = /[^\t\x20-\x7e\x80-\xff]|^[\t ]|[\t ]$/;

/**
 * Request headers in the order and the case that they were given, one for each name. A list and not a map: six headers
 * are found faster by looking than by hashing, and undici takes names and values in turns.
 */
export class HeaderList {
  /** The names in lower case. */
  readonly keys: string[] = [];
  readonly #names: string[] = [];
  readonly #values: unknown[] = [];

  /** The last value for a name counts, in the place of the first. `false` and `null` are axios' ways to leave one out. */
  put(name: string, value: unknown): void {
    const key = name.toLowerCase();
    const index = this.keys.indexOf(key);
    if (index >= 0) this.#values[index] = value;
    else {
      this.keys.push(key);
      this.#names.push(name);
      this.#values.push(value);
    }
  }

  putUnlessPresent(name: string, value: string): void {
    const index = this.keys.indexOf(name.toLowerCase());
    if (index < 0 || this.#values[index] === undefined) this.put(name, value);
  }

  /** Empty where there is none. */
  text(key: string): string {
    const value = this.#values[this.keys.indexOf(key)];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  }

  remove(key: string): void {
    const index = this.keys.indexOf(key);
    if (index >= 0) this.#values[index] = undefined;
  }

  /** Names and values in turns. */
  flat(): string[] {
    const flat: string[] = [];
    for (const [index, name] of this.#names.entries()) {
      const value = this.#values[index];
      if (value === undefined || value === null || value === false) continue;
      if (Array.isArray(value)) for (const one of value) flat.push(name, sendable(one));
      else flat.push(name, sendable(value));
    }
    return flat;
  }
}

function sendable(value: unknown): string {
  const text = String(value);
  return NEEDS_CARE.test(text) ? text.replace(UNSENDABLE, '').replace(EDGES, '') : text;
}
