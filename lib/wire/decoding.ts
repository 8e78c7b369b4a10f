import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import type { AxiosHeaders, AxiosResponse } from 'axios';

export interface Sink {
  /** False if the sink wants no more bytes for the moment. */
  push(chunk: Buffer): boolean;
  end(): void;
  fail(error: Error): void;
}

export interface Resumable {
  resume(): void;
}

/** If an answer was cut short, a decoder returns the bytes that arrived, as with axios. */
const LENIENT: zlib.ZlibOptions = {
  flush: zlib.constants.Z_SYNC_FLUSH,
  finishFlush: zlib.constants.Z_SYNC_FLUSH,
};
const LENIENT_BROTLI: zlib.BrotliOptions = {
  flush: zlib.constants.BROTLI_OPERATION_FLUSH,
  finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
};

export type DecoderFactory = (firstBytes: Buffer) => Transform;

const unzip: DecoderFactory = () => zlib.createUnzip(LENIENT);

/** The first bytes of a zlib stream. For `deflate`, some servers send the bare format without them. */
const ZLIB_HEADER = Buffer.from([0x78, 0x9c]);

function inflate([first]: Buffer): Transform {
  const decoder = zlib.createUnzip(LENIENT);
  if (first !== ZLIB_HEADER[0]) decoder.write(ZLIB_HEADER);
  return decoder;
}

const DECODERS: Readonly<Record<string, DecoderFactory | undefined>> = {
  gzip: unzip,
  'x-gzip': unzip,
  compress: unzip,
  'x-compress': unzip,
  deflate: inflate,
  br: () => zlib.createBrotliDecompress(LENIENT_BROTLI),
  zstd: zstdDecoder(),
};

/** Node has this decoder since 22.15. */
function zstdDecoder(): DecoderFactory | undefined {
  if (!('createZstdDecompress' in zlib)) return undefined;
  const create = zlib.createZstdDecompress as (options: object) => Transform;
  const flush: unknown = Reflect.get(zlib.constants, 'ZSTD_e_flush');
  return () => create({ flush, finishFlush: flush });
}

function decoderOf(name: string): DecoderFactory | undefined {
  return Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
}

/**
 * Takes the decoder for a body, and removes `Content-Encoding`, because the caller gets decoded bytes. As with axios, an
 * answer without a body loses the header too, and with an unknown encoding the header and the body stay as they are.
 */
export function takeDecoder(headers: AxiosHeaders, hasBody: boolean): DecoderFactory | undefined {
  const name = String(headers['content-encoding']).toLowerCase();
  const decoder = hasBody ? decoderOf(name) : undefined;
  if (decoder || !hasBody) delete headers['content-encoding'];
  return decoder;
}

/** As undici: each decoder can make a short body much longer. */
const MOST_DECODERS = 5;

/**
 * Takes the decoders for a list like `br, gzip`, in their order. `fetch` decodes it, and axios leaves it as it is. None if the
 * list names another coding than those of `fetch`, or too many.
 */
export function takeDecoders(headers: AxiosResponse['headers']): readonly DecoderFactory[] {
  const given: unknown = headers?.['content-encoding'];
  if (typeof given !== 'string') return [];
  const names = given.toLowerCase().split(',');
  const decoders = names.flatMap((name) => (name.includes('compress') ? [] : (decoderOf(name.trim()) ?? [])));
  if (names.length < 2 || names.length > MOST_DECODERS || decoders.length < names.length) return [];
  delete headers['content-encoding'];
  return decoders.toReversed();
}

export class Decoding implements Resumable {
  #decoder: Transform | undefined;

  constructor(
    private readonly create: DecoderFactory,
    private readonly sink: Sink,
    private readonly source: Resumable,
  ) {}

  push(chunk: Buffer): boolean {
    this.#decoder ??= this.#open(chunk);
    return this.#decoder.write(chunk);
  }

  end(): void {
    if (this.#decoder) this.#decoder.end();
    else this.sink.end();
  }

  resume(): void {
    if (this.#decoder) this.#decoder.resume();
    else this.source.resume();
  }

  destroy(): void {
    this.#decoder?.destroy();
  }

  #open(firstBytes: Buffer): Transform {
    const decoder = this.create(firstBytes);
    decoder.on('data', (chunk: Buffer) => {
      if (!this.sink.push(chunk)) decoder.pause();
    });
    decoder.on('drain', () => this.source.resume());
    decoder.once('end', () => this.sink.end());
    decoder.once('error', (error) => this.sink.fail(error));
    return decoder;
  }
}
