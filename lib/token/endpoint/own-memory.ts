/**
 * Buffers with memory of their own. Node cuts small ones out of a block that they share, and any of them leads to the
 * whole block by its `buffer`, which `inspect` with `showHidden` prints: credentials and tokens have no business there (S10).
 */
export function bytesOf(text: string): Buffer {
  const bytes = Buffer.alloc(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

export function joined(chunks: readonly Buffer[]): Buffer {
  const bytes = Buffer.alloc(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let end = 0;
  for (const chunk of chunks) end += chunk.copy(bytes, end);
  return bytes;
}
