import { REGISTERED_ERROR_CODES } from '../catalogue/oauth-error-codes.js';
import { OAUTH_ERROR_CODE } from '../catalogue/wire.js';
import type { TokenFailure } from '../errors/token-request.error.js';
import { holdsCredential, holdsPieceOf } from '../secrets/credential-echo.js';
import type { Secret } from '../secrets/secret.js';

/** The words of each failure of a token request. Nothing that the server sent is repeated but what is checked here. */

/** Statuses between 400 and 499 that ask for another try. */
export const TRANSIENT_4XX: ReadonlySet<number> = new Set([408, 425, 429]);

const TLS_IDENTITY =
  /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF|GET_CRL|DECRYPT|DECODE)|DEPTH_ZERO_SELF|SELF_SIGNED|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MISMATCH|CRL_)/;

/** The request or its answer broke on the way. Of the error only a code of Node's own making is taken. */
export function networkFailure(error: unknown): TokenFailure {
  const code = systemCode(error);
  if (code !== undefined && TLS_IDENTITY.test(code)) {
    return {
      code: 'TOKEN_UNAVAILABLE',
      reason: `the token endpoint's certificate is not trusted (${code}).`,
      remedy:
        'Check the host of the token URL; for a private certificate authority pass http.httpsAgent with its ca.',
      transient: false,
      local: true,
    };
  }
  return {
    code: 'TOKEN_UNAVAILABLE',
    reason: `the token endpoint could not be reached or broke off${code === undefined ? '' : ` (${code})`}.`,
    remedy: 'Check the token URL, DNS, the network and the proxy.',
    transient: true,
  };
}

export function timeoutFailure(withinMs: number): TokenFailure {
  return {
    code: 'TOKEN_UNAVAILABLE',
    reason: `the token endpoint did not answer completely within ${Math.round(withinMs)} ms.`,
    remedy: 'Check the provider and the network, or raise token.timeoutMs.',
    transient: true,
  };
}

/**
 * A proxy answered in place of the token endpoint: its status says nothing about the credentials, and whatever it sent is
 * no token (B28). `setting` names what the proxy is set by.
 */
export function proxyFailure(status: number, setting: string): TokenFailure {
  return {
    code: 'TOKEN_UNAVAILABLE',
    reason: `the proxy refused the connection to the token endpoint with status ${status}.`,
    remedy: `Check ${setting}: the address and the credentials of the proxy, and whether it allows the host of the token URL.`,
    transient: status >= 500 || TRANSIENT_4XX.has(status),
    local: true,
  };
}

/** An agent was changed after the boot, which had checked it (S9). */
export function uncheckedAgentFailure(): TokenFailure {
  return {
    code: 'TOKEN_UNAVAILABLE',
    reason: 'http.httpsAgent no longer checks certificates, so the client secret was not sent.',
    remedy:
      'Do not set rejectUnauthorized to false. Trust the authority instead: pass its certificate as ca.',
    transient: false,
    local: true,
  };
}

/** The credentials, or the request itself, are refused: asking again changes nothing (B7). */
export function refusalFailure(
  status: number,
  errorMember: unknown,
  credentials: readonly Secret[],
): TokenFailure {
  const oauthError = repeatable(errorMember, credentials) ? errorMember : undefined;
  return {
    code: 'TOKEN_REJECTED',
    reason: `the token endpoint refused the request with status ${status}${oauthError === undefined ? '' : ` (${oauthError})`}.`,
    remedy: 'Check that the client id and the client secret are those of this interface and environment.',
    transient: false,
    status,
    oauthError,
  };
}

/** Any status that is neither 200 nor a refusal. */
export function statusFailure(status: number, retryAfterMs: number | undefined): TokenFailure {
  if (status >= 300 && status < 400) {
    return {
      ...unusableFailure(
        `it redirected with status ${status}, which would carry the client secret elsewhere.`,
      ),
      remedy: 'Set the token URL to the final address.',
      status,
    };
  }
  if (status < 400 || status > 599)
    return { ...unusableFailure(`its status is ${status} instead of 200.`), status };
  return {
    code: 'TOKEN_UNAVAILABLE',
    reason: `the token endpoint answered with status ${status}.`,
    remedy: 'Wait for the provider; if it lasts, ask them.',
    transient: true,
    status,
    retryAfterMs,
  };
}

export function unusableFailure(reason: string): TokenFailure {
  return {
    code: 'TOKEN_RESPONSE_INVALID',
    reason: `the token endpoint did not answer as its document says: ${reason}`,
    remedy: 'Check the token URL; a proxy or a login page may be answering in its place.',
    transient: false,
    status: 200,
  };
}

/** A token that expired on its way is of no use to anybody (S11). */
export function outlivedFailure(): TokenFailure {
  return {
    code: 'TOKEN_UNAVAILABLE',
    reason: 'the token had expired before its answer arrived.',
    remedy: 'Ask the provider why the token endpoint is slow or its tokens live so briefly.',
    transient: true,
    status: 200,
  };
}

/** The application's own source of the secret failed (B8); its text may hold the secret, so it is not repeated. */
export function secretSourceFailure(how: 'failed' | 'slow'): TokenFailure {
  return {
    code: 'TOKEN_UNAVAILABLE',
    reason:
      how === 'failed' ? 'the client secret could not be read.' : 'reading the client secret took too long.',
    remedy: 'Check the function or the file that gives the client secret.',
    transient: false,
    local: true,
  };
}

/**
 * Words, also joined as in code, and numbers. What encodes bytes, such as base64 or hexadecimal digits, mixes letters and
 * digits inside of a word, or capitals and small letters.
 */
const WORDS =
  /^(([A-Z]?[a-z]+|[a-z]+([A-Z][a-z]{2,})+|([A-Z][a-z]{2,})+|[A-Z]+\d{0,8}|\d{1,8})([ _.:/-]+|[!.]?$))+$/;

/**
 * A registered code is one of a few, so it tells only whether it holds a whole credential. Any other must be made of words,
 * with no piece of a credential in it (S10).
 */
function repeatable(code: unknown, credentials: readonly Secret[]): code is string {
  if (typeof code !== 'string' || !OAUTH_ERROR_CODE.test(code)) return false;
  if (REGISTERED_ERROR_CODES.has(code))
    return !credentials.some((credential) => holdsCredential(code, credential.reveal()));
  return WORDS.test(code) && !credentials.some((credential) => holdsPieceOf(code, credential.reveal()));
}

function systemCode(error: unknown): string | undefined {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : undefined;
}
