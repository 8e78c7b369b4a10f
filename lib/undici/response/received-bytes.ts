import type { InternalAxiosRequestConfig } from 'axios';

const BYTE_ORDER_MARK = 0xfeff;

/** The body of an answer in memory, as axios gives it to `transformResponse`. */
export class ReceivedBytes {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  /** Bytes for `arraybuffer`, text for everything else. */
  content({ responseType, responseEncoding }: InternalAxiosRequestConfig): Buffer | string {
    if (responseType === 'arraybuffer') return this.#inOwnMemory();
    const [only] = this.#chunks;
    const bytes = only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
    const text = bytes.toString(responseEncoding as BufferEncoding | undefined);
    const mayHaveMark = !responseEncoding || responseEncoding === 'utf8';
    return mayHaveMark && text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  }

  /** A piece as it arrived shares its memory with the headers of the answer, which may reflect the token (B12). */
  #inOwnMemory(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.#length);
    let offset = 0;
    for (const chunk of this.#chunks) offset += chunk.copy(bytes, offset);
    return bytes;
  }
}
