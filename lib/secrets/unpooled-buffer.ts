/**
 * A buffer that shares its memory with no other buffer. Node cuts small buffers out of one block, and `inspect` with `showHidden`
 * prints the whole block. Credentials and tokens must not be there (S10).
 */
export function unpooledText(text: string, encoding: BufferEncoding = 'utf8'): Buffer {
  const bytes = Buffer.alloc(Buffer.byteLength(text, encoding));
  bytes.write(text, encoding);
  return bytes;
}

export function unpooledConcat(chunks: readonly Buffer[]): Buffer {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  // The loop writes each byte, so the memory need not be cleared first.
  const bytes = Buffer.allocUnsafeSlow(length);
  let end = 0;
  for (const chunk of chunks) end += chunk.copy(bytes, end);
  return bytes;
}

export function unpooled(bytes: Buffer): Buffer {
  return bytes.buffer.byteLength === bytes.byteLength ? bytes : unpooledConcat([bytes]);
}
