/** The words of the provider's document that are sent in requests (S1, S2, S3, S6). */
export const TOKEN_REQUEST_METHOD = 'POST';
export const TOKEN_REQUEST_CONTENT_TYPE = 'application/x-www-form-urlencoded';
export const GRANT_TYPE = 'client_credentials';
export const TOKEN_TYPE = 'Bearer';
export const AUTHORIZATION_HEADER = 'Authorization';

/** @see RFC 7523 section 2.2: the type of a client assertion. */
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** @see RFC 6750 section 2.1: the only characters that a bearer token may hold. */
export const B64TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** @see RFC 6749 section 5.2: the characters of an error code. An error of this package shows a code of at most 64 characters. */
export const OAUTH_ERROR_CODE = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,64}$/;

/** Our own limit: a longer `expires_in` counts as this lifetime. The scripts of Redis allow one day more. */
export const LONGEST_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;
