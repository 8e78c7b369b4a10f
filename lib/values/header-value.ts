/** A character that a header value cannot contain. @see RFC 9110 section 5.5 */
export const UNFIT_FOR_HEADER = /[^\t\x20-\x7e\x80-\xff]/;
