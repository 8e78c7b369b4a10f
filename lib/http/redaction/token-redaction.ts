import { isAnyArrayBuffer } from 'node:util/types';
import { safely } from '../../values/safely.js';
import { REDACTED } from '../../secrets/secret.js';
import { unpooledText } from '../../secrets/unpooled-buffer.js';
import { TokenSearch } from './token-search.js';
import { isFormData, isPlainObject } from '../../values/is-object.js';

/** A larger file is dropped, because the search needs three times its size in memory. */
const LARGEST_FILE = 64 * 1024 * 1024;

/**
 * Removes tokens from the data of a server (B12): servers repeat request headers in error bodies, in headers and in reason
 * phrases. Runs for failures, and for the head of each `fetch`. Never throws: data that cannot be searched is dropped (B28).
 */
export class TokenRedaction {
  readonly #searches: readonly TokenSearch[];

  constructor(tokens: readonly string[]) {
    this.#searches = tokens.map((token) => new TokenSearch(token));
  }

  text(text: string): string {
    return safely(() => this.#text(text), REDACTED);
  }

  /** Returns a copy if something changes, so that a fixture of a mock adapter is not changed. */
  value(value: unknown): unknown {
    return safely(() => changedCopy(value, (part) => this.#part(part)), REDACTED);
  }

  /** The body of a response, as any adapter may give it. */
  async body(body: unknown): Promise<unknown> {
    try {
      if (body instanceof Blob) return await this.blob(body);
      return isFormData(body) ? await this.#form(body) : this.value(body);
    } catch {
      return REDACTED;
    }
  }

  async blob(blob: Blob): Promise<Blob> {
    const clean = await this.#contentOf(blob);
    return clean === undefined ? blob : new Blob([clean], { type: blob.type });
  }

  async #form(form: FormData): Promise<FormData> {
    const clean = Reflect.construct(form.constructor, []) as FormData;
    let hasChanged = false;
    for (const [name, value] of form) {
      const cleanName = this.text(name);
      const cleanValue = typeof value === 'string' ? this.text(value) : await this.#file(value);
      hasChanged ||= cleanName !== name || cleanValue !== value;
      if (typeof cleanValue === 'string') clean.append(cleanName, cleanValue);
      else clean.append(cleanName, cleanValue);
    }
    return hasChanged ? clean : form;
  }

  async #file(file: File): Promise<File> {
    const clean = await this.#contentOf(file);
    const name = this.text(file.name);
    if (clean === undefined && name === file.name) return file;
    return new File([clean ?? file], name, { type: file.type, lastModified: file.lastModified });
  }

  /** Undefined if there are no tokens. */
  async #contentOf(blob: Blob): Promise<Uint8Array<ArrayBuffer> | string | undefined> {
    if (blob.size > LARGEST_FILE) return REDACTED;
    try {
      const bytes = Buffer.from(await blob.arrayBuffer());
      const clean = this.#bytes(bytes);
      return clean === bytes ? undefined : new Uint8Array(clean);
    } catch {
      return REDACTED;
    }
  }

  #part(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (isAnyArrayBuffer(value)) return this.#arrayBuffer(value);
    return ArrayBuffer.isView(value) ? this.#view(value) : value;
  }

  #text(text: string): string {
    let clean = text;
    for (const search of this.#searches) clean = search.redact(clean);
    return clean;
  }

  /** The same object if there is nothing to redact. Uses latin1, which changes no other byte. */
  #bytes(bytes: Buffer): Buffer {
    const text = bytes.toString('latin1');
    const clean = this.#text(text);
    if (clean === text) return bytes;
    return unpooledText(clean, 'latin1');
  }

  #arrayBuffer(value: ArrayBufferLike): ArrayBufferLike {
    const bytes = Buffer.from(value);
    const clean = this.#bytes(bytes);
    return clean === bytes ? value : new Uint8Array(clean).buffer;
  }

  #view(view: ArrayBufferView): ArrayBufferView {
    const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
    const clean = this.#bytes(bytes);
    if (clean === bytes) return view;
    if (Buffer.isBuffer(view)) return clean;
    return viewLike(view, clean);
  }
}

/** Elements may be longer than a byte. NULs fill the last element. */
function viewLike(view: ArrayBufferView, bytes: Buffer): ArrayBufferView {
  const size = 'BYTES_PER_ELEMENT' in view ? Number(view.BYTES_PER_ELEMENT) : 1;
  const memory = new Uint8Array(Math.ceil(bytes.length / size) * size);
  memory.set(bytes);
  return Reflect.construct(view.constructor, [memory.buffer]) as ArrayBufferView;
}

/**
 * Changes the leaves of plain objects and arrays, and the names of members, in a copy. Returns the value itself if nothing
 * changes. There is no recursion, because a server decides how deep its JSON is, and an object may occur in a circle.
 */
export function changedCopy(value: unknown, change: (leaf: unknown) => unknown): unknown {
  const copies = new Map<object, object>();
  let hasChanged = false;

  const changedLeaf = (leaf: unknown): unknown => {
    const changed = change(leaf);
    if (!Object.is(changed, leaf)) hasChanged = true;
    return changed;
  };
  const copyOf = (part: unknown): unknown => {
    if (!Array.isArray(part) && !isPlainObject(part)) return changedLeaf(part);
    const known = copies.get(part);
    if (known !== undefined) return known;
    const copy: object = Array.isArray(part)
      ? []
      : (Object.create(Object.getPrototypeOf(part) as object | null) as object);
    copies.set(part, copy);
    return copy;
  };

  const result = copyOf(value);
  // A loop over a map also visits entries that are added during the loop.
  for (const [original, copy] of copies) {
    if (Array.isArray(original)) {
      const items = copy as unknown[];
      for (const item of original) items.push(copyOf(item));
      continue;
    }
    for (const [name, member] of Object.entries(original)) {
      // An assignment to a member named `__proto__` would set the prototype.
      Object.defineProperty(copy, String(changedLeaf(name)), {
        value: copyOf(member),
        configurable: true,
        enumerable: true,
        writable: true,
      });
    }
  }
  return hasChanged ? result : value;
}
