import type { InternalAxiosRequestConfig } from 'axios';
import { unpooledConcat } from '../../secrets/unpooled-buffer.js';

const BYTE_ORDER_MARK = 0xfeff;

/** The body of an answer in memory, as axios gives it to `transformResponse`. */
export class ReceivedBytes {
  readonly #chunks: Buffer[] = [];

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  /** Bytes for `arraybuffer`, text for everything else. */
  content({ responseType, responseEncoding }: InternalAxiosRequestConfig): Buffer | string {
    // A chunk shares its memory with the headers of the answer, which may repeat the token (B12).
    if (responseType === 'arraybuffer') return unpooledConcat(this.#chunks);
    const [only] = this.#chunks;
    const bytes = only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
    const text = bytes.toString(responseEncoding as BufferEncoding | undefined);
    const mayHaveMark = !responseEncoding || responseEncoding === 'utf8';
    return mayHaveMark && text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  }
}
