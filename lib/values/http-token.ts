/** A name of a header, or a method. @see RFC 9110 section 5.6.2 */
export const HTTP_TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
