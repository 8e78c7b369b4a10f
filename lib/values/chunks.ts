/** The first character of a text that begins with a byte order mark. */
export const BYTE_ORDER_MARK = 0xfeff;

/** The bytes of a received body. They are not copied if they arrived in one piece. */
export function joined(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
}
