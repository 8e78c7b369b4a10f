/** The words of the provider's document that are sent in requests (S1, S2, S3, S6). */
export const TOKEN_REQUEST_METHOD = 'POST';
export const TOKEN_REQUEST_CONTENT_TYPE = 'application/x-www-form-urlencoded';
export const GRANT_TYPE = 'client_credentials';
export const TOKEN_TYPE = 'Bearer';
export const AUTHORIZATION_HEADER = 'Authorization';
export const SCHEME = 'Bearer';

/** The fields of a token request that the module can write itself. */
export const WRITTEN_FIELDS = [
  'grant_type',
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
  'scope',
  'audience',
  'resource',
] as const;

/** @see RFC 7523 section 2.2: the type of a client assertion. */
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Who signs the assertions that a client of the simulator gets from outside. */
export const SIMULATED_PLATFORM = 'https://platform.simulator.invalid';

/** The doctor tells a simulator on this machine who it is, so that its requests count for nothing there. In lower case. */
export const DOCTOR_HEADER = 'x-provider-auth-doctor';

/** @see RFC 6750 section 2.1: the only characters that a bearer token may hold. */
const B64TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Every visible ASCII character. A token of them can be a header value. */
export const VISIBLE = /^[!-~]+$/;

export const TOKEN_CHARACTERS = {
  bearer: { pattern: B64TOKEN, name: 'a bearer token of RFC 6750' },
  visible: { pattern: VISIBLE, name: 'a text of visible characters' },
};

/** An error of this package shows an error code only in this form. All registered codes have it. */
export const OAUTH_ERROR_CODE = /^[a-z\d_]{1,64}$/;

/** Our own limit: a longer `expires_in` counts as this lifetime. The scripts of Redis allow one day more. */
export const LONGEST_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;
