import zlib from 'node:zlib';
import type { Transform } from 'node:stream';
import type { AxiosHeaders } from 'axios';

/** Makes the decoder for a body, when its first bytes are there. */
export type DecoderFactory = (firstBytes: Buffer) => Transform;

/** An answer that was cut short is read as far as it came; that it was is found elsewhere. */
const LENIENT: zlib.ZlibOptions = {
  flush: zlib.constants.Z_SYNC_FLUSH,
  finishFlush: zlib.constants.Z_SYNC_FLUSH,
};
const LENIENT_BROTLI: zlib.BrotliOptions = {
  flush: zlib.constants.BROTLI_OPERATION_FLUSH,
  finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
};

/** The first byte of a zlib stream with its usual window. Some servers mean the bare format by `deflate`. */
const ZLIB_HEADER = 0x78;

const unzip: DecoderFactory = () => zlib.createUnzip(LENIENT);

const DECODERS: Readonly<Record<string, DecoderFactory | undefined>> = {
  gzip: unzip,
  'x-gzip': unzip,
  compress: unzip,
  'x-compress': unzip,
  deflate: ([first]) =>
    first === ZLIB_HEADER ? zlib.createInflate(LENIENT) : zlib.createInflateRaw(LENIENT),
  br: () => zlib.createBrotliDecompress(LENIENT_BROTLI),
  zstd: zstdDecoder(),
};

/**
 * How a body is decoded, if it is; `Content-Encoding` then goes, because it says nothing of what the caller gets. An
 * encoding that Node does not know stays as it is.
 */
export function decoderFor(headers: AxiosHeaders, hasBody: boolean): DecoderFactory | undefined {
  const encoding: unknown = headers['content-encoding'];
  if (typeof encoding !== 'string') return undefined;
  if (!hasBody) {
    delete headers['content-encoding'];
    return undefined;
  }
  const name = encoding.toLowerCase();
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  if (decoder) delete headers['content-encoding'];
  return decoder;
}

/** From Node 22.15 on. */
function zstdDecoder(): DecoderFactory | undefined {
  if (!('createZstdDecompress' in zlib)) return undefined;
  const create = zlib.createZstdDecompress as (options: object) => Transform;
  const flush: unknown = Reflect.get(zlib.constants, 'ZSTD_e_flush');
  return () => create({ flush, finishFlush: flush });
}
