import { isOfBuiltIn } from '../../catalogue/catalogue.js';
import { OAUTH_ERROR_CODE } from '../../catalogue/wire.js';
import type { NamedPair } from '../../errors/setting-names.js';
import type { TokenFailure } from '../../errors/token-request.error.js';
import { clockProblem, remedyOf, sameSecretProblem, type Trouble } from '../../errors/troubles.js';
import { holdsCredential } from '../../secrets/credential-forms.js';
import type { Secret } from '../../secrets/secret.js';
import { parseObject } from './token-response.js';

/** The credentials of a token request, which no error may show (S10). */
export interface SentCredentials {
  readonly clientId: Secret | undefined;
  readonly clientSecret: Secret;
  readonly assertion?: Secret | undefined;
}

interface RefusedRequest {
  readonly status: number;
  /** Undefined if it broke off, or was too long. The status is enough for a refusal. */
  readonly body: Buffer | undefined;
  /** By how much the clock of this machine is ahead of the server's. Undefined if the answer has no `Date`. */
  readonly clockAheadMs?: number | undefined;
}

/** The credentials, or the request itself, are refused: asking again changes nothing. */
export function refusalFailure(
  refused: RefusedRequest,
  sent: SentCredentials,
  pair: NamedPair,
): TokenFailure {
  const answer = (refused.body && parseObject(refused.body)) ?? {};
  const code = answer['error'];
  const shown = shownOf(answer, sent);
  const { oauthError, providerCode, traceId, correlationId } = shown;
  const known = [
    oauthError,
    providerCode,
    traceId && `trace id ${traceId}`,
    correlationId && `correlation id ${correlationId}`,
  ].filter((one) => one !== undefined);
  const { status, clockAheadMs } = refused;
  // The remedy follows the code itself, which may not be shown.
  const trouble = refusalTrouble(status, code, pair);
  const problems =
    trouble === 'refused-credentials' || trouble === 'refused-request'
      ? [quotesProblem(sent, pair), sameSecretProblem(pair), clockProblem(pair, clockAheadMs)]
      : [];
  return {
    code: 'TOKEN_REJECTED',
    reason: `the token endpoint refused the request with status ${status}${known.length > 0 ? ` (${known.join(', ')})` : ''}.`,
    remedy: [...problems, remedyOf(trouble, { ...pair, providerCode })].filter(Boolean).join(' '),
    transient: false,
    status,
    ...shown,
  };
}

const AADSTS = /\bAADSTS\d{4,8}\b/;
const PROVIDER_CODE = /^(AADSTS)?\d{4,8}$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Of what the server sent, only this is repeated: codes and ids that cannot be a text of its choice, and show no credential. */
function shownOf(answer: Readonly<Record<string, unknown>>, sent: SentCredentials) {
  const shown = (text: unknown, form: RegExp): string | undefined =>
    typeof text === 'string' && form.test(text) && !showsCredential(text, sent) ? text : undefined;
  const { error_description: description, error_codes: codes } = answer;
  const first: unknown = Array.isArray(codes) ? codes[0] : undefined;
  const [named] = (typeof description === 'string' && AADSTS.exec(description)) || [];
  return {
    oauthError: shown(answer['error'], OAUTH_ERROR_CODE),
    providerCode: shown(named ?? (typeof first === 'number' ? String(first) : first), PROVIDER_CODE),
    traceId: shown(answer['trace_id'], UUID),
    correlationId: shown(answer['correlation_id'], UUID),
  };
}

/** A shorter client id, such as `client`, is a part of many codes. */
const SHORTEST_ID = 10;

function showsCredential(text: string, { clientId, clientSecret, assertion }: SentCredentials): boolean {
  const id = clientId?.reveal() ?? '';
  const hidden = [clientSecret, assertion, id.length >= SHORTEST_ID ? clientId : undefined];
  return text === id || hidden.some((one) => one && holdsCredential(text, one.reveal()));
}

const NO_SUCH_PATH = new Set([404, 405, 410]);

/** What an endpoint says about a member of a definition. The built-in provider has none, so there the credentials are left. */
const REFUSED_MEMBERS: ReadonlyMap<unknown, Trouble> = new Map<unknown, Trouble>([
  ['invalid_scope', 'refused-scope'],
  ['invalid_target', 'refused-scope'],
  ['unsupported_grant_type', 'refused-request'],
  ['invalid_request', 'refused-request'],
]);

function refusalTrouble(status: number, oauthError: unknown, pair: NamedPair): Trouble {
  if (oauthError === 'invalid_client') return 'refused-credentials';
  if (NO_SUCH_PATH.has(status)) return 'other-address';
  const refusedMember = isOfBuiltIn(pair) ? undefined : REFUSED_MEMBERS.get(oauthError);
  if (refusedMember !== undefined) return refusedMember;
  return oauthError === 'unauthorized_client' || status === 403 ? 'refused-grant' : 'refused-credentials';
}

const IN_QUOTES = /^(["'`])[^]*\1$/;

/**
 * `docker run --env-file` and Kubernetes keep the quotes of a value. A correct secret may begin and end with a quote,
 * so the boot does not refuse it. After the endpoint has refused the value, the error mentions the quotes.
 */
function quotesProblem(sent: SentCredentials, { names }: NamedPair): string | undefined {
  const quoted = (['clientId', 'clientSecret'] as const).filter((member) =>
    IN_QUOTES.test(sent[member]?.reveal() ?? ''),
  );
  if (quoted.length === 0) return undefined;
  return `The value of ${quoted.map((member) => names[member]).join(' and ')} is in quotes: remove them.`;
}
