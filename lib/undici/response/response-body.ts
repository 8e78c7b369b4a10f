import type { InternalAxiosRequestConfig } from 'axios';
import { unpooledConcat } from '../../secrets/unpooled-buffer.js';

/** Receives the bytes of a response. */
export interface Sink {
  /** False if the sink wants no more bytes for the moment. */
  push(chunk: Buffer): boolean;
  end(): void;
  fail(error: Error): void;
}

/** Where the bytes come from. */
export interface Source {
  resume(): void;
}

const BYTE_ORDER_MARK = 0xfeff;

/** The body of a response in memory, in the form that axios gives to `transformResponse`. */
export class ReceivedBytes {
  readonly #chunks: Buffer[] = [];

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  /** Bytes for the response type `arraybuffer`, text for any other. */
  content({ responseType, responseEncoding }: InternalAxiosRequestConfig): Buffer | string {
    // A chunk shares its memory with the headers of the response, and these may repeat the token (B12).
    if (responseType === 'arraybuffer') return unpooledConcat(this.#chunks);
    const [only] = this.#chunks;
    const bytes = only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
    const text = bytes.toString(responseEncoding as BufferEncoding | undefined);
    const mayHaveMark = !responseEncoding || responseEncoding === 'utf8';
    return mayHaveMark && text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  }
}
