import type { Transform } from 'node:stream';
import zlib from 'node:zlib';

/** If a response was cut short, a decoder returns the bytes that arrived, as with axios. */
export const LENIENT: zlib.ZlibOptions = {
  flush: zlib.constants.Z_SYNC_FLUSH,
  finishFlush: zlib.constants.Z_SYNC_FLUSH,
};
const LENIENT_BROTLI: zlib.BrotliOptions = {
  flush: zlib.constants.BROTLI_OPERATION_FLUSH,
  finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
};

type CreateDecoder = () => Transform;

export const unzip: CreateDecoder = () => zlib.createUnzip(LENIENT);

/** Without `deflate`: some servers send its bare format, and each transport recognises that in another way. */
const DECODERS: Readonly<Record<string, CreateDecoder | undefined>> = {
  gzip: unzip,
  'x-gzip': unzip,
  compress: unzip,
  'x-compress': unzip,
  br: () => zlib.createBrotliDecompress(LENIENT_BROTLI),
  zstd: zstdDecoder(),
};

/** What creates the decoder for a `Content-Encoding`. Undefined if Node does not know the encoding. */
export function decoderFor<Deflate>(encoding: string, deflate: Deflate): CreateDecoder | Deflate | undefined {
  const name = encoding.toLowerCase();
  if (name === 'deflate') return deflate;
  return Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
}

/** Node has this decoder since 22.15. */
function zstdDecoder(): CreateDecoder | undefined {
  if (!('createZstdDecompress' in zlib)) return undefined;
  const create = zlib.createZstdDecompress as (options: object) => Transform;
  const flush: unknown = Reflect.get(zlib.constants, 'ZSTD_e_flush');
  return () => create({ flush, finishFlush: flush });
}
