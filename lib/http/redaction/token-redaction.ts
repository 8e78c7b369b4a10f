import { isAnyArrayBuffer } from 'node:util/types';
import { safely } from '../../values/safely.js';
import { REDACTED } from '../../secrets/secret.js';
import { unpooledText } from '../../secrets/unpooled-buffer.js';
import { changedCopy } from './changed-copy.js';
import { TokenSearch } from './token-search.js';

/** A larger file is dropped: it would stand in memory three times while it is searched. */
const LARGEST_FILE = 64 * 1024 * 1024;

/**
 * Takes tokens out of what a server sent back (B12): servers repeat request headers in error bodies, headers and even
 * reason phrases. Used on failures only. Never throws: what cannot be searched is dropped (B28).
 */
export class TokenRedaction {
  readonly #searches: readonly TokenSearch[];

  constructor(tokens: readonly string[]) {
    this.#searches = tokens.map((token) => new TokenSearch(token));
  }

  text(text: string): string {
    return safely(() => this.#text(text), REDACTED);
  }

  /** The same bytes where there is nothing to redact. */
  bytes(bytes: Buffer): Buffer {
    return safely(() => this.#bytes(bytes), Buffer.from(REDACTED));
  }

  /** Copies where something changes: a mock adapter's fixture stays what it was. */
  value(value: unknown): unknown {
    return safely(() => changedCopy(value, (part) => this.#part(part)), REDACTED);
  }

  /** The body of a response, as any adapter may give it. */
  async body(body: unknown): Promise<unknown> {
    try {
      if (body instanceof Blob) return await this.blob(body);
      return isForm(body) ? await this.#form(body) : this.value(body);
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

  /** The content without tokens; undefined where it holds none. */
  async #contentOf(blob: Blob): Promise<Uint8Array<ArrayBuffer> | string | undefined> {
    if (blob.size > LARGEST_FILE) return REDACTED;
    try {
      const bytes = Buffer.from(await blob.arrayBuffer());
      const clean = this.bytes(bytes);
      return clean === bytes ? undefined : new Uint8Array(clean);
    } catch {
      return REDACTED;
    }
  }

  /** What is text or bytes; anything else is given back as it is. */
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

  /** By way of latin1, which keeps every other byte as it is. */
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

/**
 * A form that was received. Not by `instanceof`: it may be of the package undici, and Node loads its own class, with its
 * own undici, when code first mentions it. The package form-data makes streams, which are only sent.
 */
function isForm(body: unknown): body is FormData {
  return (
    typeof body === 'object' &&
    body !== null &&
    Reflect.get(body, Symbol.toStringTag) === 'FormData' &&
    Symbol.iterator in body
  );
}

/** Elements may be longer than a byte; NULs fill up the last one. */
function viewLike(view: ArrayBufferView, bytes: Buffer): ArrayBufferView {
  const size = 'BYTES_PER_ELEMENT' in view ? Number(view.BYTES_PER_ELEMENT) : 1;
  const memory = new Uint8Array(Math.ceil(bytes.length / size) * size);
  memory.set(bytes);
  return Reflect.construct(view.constructor, [memory.buffer]) as ArrayBufferView;
}
