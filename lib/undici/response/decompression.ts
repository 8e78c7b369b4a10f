import zlib from 'node:zlib';
import type { Transform } from 'node:stream';
import type { AxiosHeaders } from 'axios';
import { decoderFor, LENIENT } from '../../http/response/decoders.js';
import type { Sink, Source } from './response-body.js';

/** Creates the decoder for a body, from the first bytes of the body. */
export type DecoderFactory = (firstBytes: Buffer) => Transform;

/** The first byte of a zlib stream with the usual window. For `deflate`, some servers send the bare format without it. */
const ZLIB_HEADER = 0x78;

const inflate: DecoderFactory = ([first]) =>
  first === ZLIB_HEADER ? zlib.createInflate(LENIENT) : zlib.createInflateRaw(LENIENT);

/**
 * Takes the decoder for a body, and removes `Content-Encoding`, because the caller gets decoded bytes. A response without a
 * body has no decoder and loses the header too, as with axios. If Node does not know the encoding of a body, there is no
 * decoder, and the header and the body stay as they are.
 */
export function takeDecoder(headers: AxiosHeaders, hasBody: boolean): DecoderFactory | undefined {
  const encoding: unknown = headers['content-encoding'];
  if (typeof encoding !== 'string') return undefined;
  if (!hasBody) {
    delete headers['content-encoding'];
    return undefined;
  }
  const decoder = decoderFor(encoding, inflate);
  if (decoder) delete headers['content-encoding'];
  return decoder;
}

/** Decodes bytes for a sink. If the sink is full, the source waits. */
export class Decoding implements Source {
  readonly #create: DecoderFactory;
  readonly #sink: Sink;
  readonly #source: Source;
  #decoder: Transform | undefined;

  constructor(create: DecoderFactory, sink: Sink, source: Source) {
    this.#create = create;
    this.#sink = sink;
    this.#source = source;
  }

  push(chunk: Buffer): boolean {
    this.#decoder ??= this.#open(chunk);
    return this.#decoder.write(chunk);
  }

  end(): void {
    if (this.#decoder) this.#decoder.end();
    else this.#sink.end();
  }

  resume(): void {
    if (this.#decoder) this.#decoder.resume();
    else this.#source.resume();
  }

  destroy(): void {
    this.#decoder?.destroy();
  }

  #open(firstBytes: Buffer): Transform {
    const decoder = this.#create(firstBytes);
    decoder.on('data', (chunk: Buffer) => {
      if (!this.#sink.push(chunk)) decoder.pause();
    });
    decoder.on('drain', () => this.#source.resume());
    decoder.once('end', () => this.#sink.end());
    decoder.once('error', (error) => this.#sink.fail(error));
    return decoder;
  }
}
