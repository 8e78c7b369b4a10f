/** The first character of a text that begins with a byte order mark. */
export const BYTE_ORDER_MARK = 0xfeff;
