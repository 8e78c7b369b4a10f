/** A character that a header value cannot contain. @see RFC 9110 section 5.5 */
export const UNFIT_FOR_HEADER = /[^\t\x20-\x7e\x80-\xff]/;

/** A name of a header, or a method. @see RFC 9110 section 5.6.2 */
export const HTTP_TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;

/** Headers of one connection, which its client writes. @see RFC 9110 section 7.6.1 */
export const CONNECTION_HEADERS: ReadonlySet<string> = new Set(
  'connection expect keep-alive proxy-connection te trailer transfer-encoding upgrade'.split(' '),
);

/** The first character of a text that begins with a byte order mark. */
export const BYTE_ORDER_MARK = 0xfeff;
