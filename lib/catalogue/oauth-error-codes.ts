/** Error codes that a specification defines for the answer to a token request. */
export const REGISTERED_ERROR_CODES: ReadonlySet<string> = new Set([
  // RFC 6749, sections 4.1.2.1 and 5.2
  'access_denied',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
  // RFC 6750, section 3.1
  'insufficient_scope',
  'invalid_token',
  // RFC 7009, section 2.2.1
  'unsupported_token_type',
  // RFC 8628, section 3.5
  'authorization_pending',
  'expired_token',
  'slow_down',
  // RFC 8707, section 2
  'invalid_target',
  // RFC 9449, sections 5 and 8
  'invalid_dpop_proof',
  'use_dpop_nonce',
  // OpenID Connect Core 1.0, section 3.1.2.6
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'login_required',
]);
