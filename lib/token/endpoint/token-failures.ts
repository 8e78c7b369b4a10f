import type { PeerCertificate } from 'node:tls';
import { isOfBuiltIn, type ProviderTerms } from '../../catalogue/catalogue.js';
import { OAUTH_ERROR_CODE } from '../../catalogue/wire.js';
import { UnknownAccountError } from '../../secrets/account-source.js';
import { UnreadableSecretError } from '../../secrets/secret-source.js';
import { errorCode } from '../../errors/error-code.js';
import { ProviderAuthConfigError } from '../../errors/provider-auth-config.error.js';
import {
  certificateFlaw,
  clockProblem,
  isMatterOfTrust,
  networkTrouble,
  remedyInDefinition,
  remedyOf,
  sameSecretProblem,
  type Trouble,
  troubleBehindProxy,
} from '../../errors/troubles.js';
import { credentialName, type NamedPair } from '../../errors/setting-names.js';
import type { TokenFailure } from '../../errors/token-request.error.js';
import { proxyErrorIn } from '../../net/proxy.js';
import { CONNECTION_FLAWS, type ConnectionFlaw } from '../../net/certificate-checks.js';
import { holdsCredential } from '../../secrets/credential-forms.js';
import type { Secret } from '../../secrets/secret.js';
import { describeRefusal, type ErrorTrace } from './error-trace.js';

/** The words of each failure of a token request. Of what the server sent, only an error code that is checked here is repeated. */

/** The others between 400 and 499 are refusals. */
export const TRANSIENT_4XX: ReadonlySet<number> = new Set([408, 425, 429]);

/** If a server asks for a longer wait, it is asked again after this time. A typing error must not stop a backend for days. */
const LONGEST_RETRY_AFTER_MS = 60 * 60 * 1000;

export interface RefusedRequest {
  readonly clientId: Secret | undefined;
  readonly clientSecret: Secret;
  readonly assertion?: Secret | undefined;
  /** By how much the clock of this machine is ahead of the server's. Undefined if the answer has no `Date`. */
  readonly clockAheadMs?: number | undefined;
  readonly trace?: ErrorTrace | undefined;
}

function unavailable(reason: string, remedy: string, more: Partial<TokenFailure> = {}): TokenFailure {
  return { code: 'TOKEN_UNAVAILABLE', reason, remedy, transient: false, ...more };
}

/**
 * The request or its answer failed in the network. Of the error only Node's code is used.
 *
 * @param proxy the settings that choose the proxy, if the request may go through a proxy.
 * @param certificate that of the server.
 */
export function networkFailure(
  error: unknown,
  pair: NamedPair,
  proxy?: string,
  certificate?: Pick<PeerCertificate, 'valid_from' | 'valid_to'>,
): TokenFailure {
  const code = errorCode(error);
  const found = troubleBehindProxy(networkTrouble(code), proxy !== undefined);
  // The certificate of a proxy is no matter of `tls`.
  const trouble = proxyErrorIn(error) && found !== 'no-tls' ? 'proxy' : found;
  if (isMatterOfTrust(trouble))
    return unavailable(
      `the token endpoint's certificate ${certificateFlaw(certificate, trouble)} (${code}).`,
      remedyOf(trouble, pair),
      { local: true },
    );
  const what =
    trouble === 'proxy'
      ? 'the proxy could not be reached'
      : 'the token endpoint could not be reached or broke off';
  return unavailable(
    `${what}${code === undefined ? '' : ` (${code})`}.`,
    remedyOf(trouble, pair, 'tokenUrl', proxy),
    { transient: true },
  );
}

export function timeoutFailure(timeoutMs: number, pair: NamedPair, proxy?: string): TokenFailure {
  return unavailable(
    `the token endpoint did not answer completely within ${Math.round(timeoutMs)} ms.`,
    remedyOf('unanswered', pair, 'tokenUrl', proxy),
    { transient: true, timedOut: true },
  );
}

/** A proxy answered in place of the token endpoint. Its status says nothing about the credentials. */
export function proxyFailure(status: number, pair: NamedPair, setting: string): TokenFailure {
  return unavailable(
    `the proxy refused the connection to the token endpoint with status ${status}.`,
    remedyOf('proxy-refusal', pair, 'tokenUrl', setting),
    { transient: status >= 500 || TRANSIENT_4XX.has(status), local: true },
  );
}

/** The application changed the agent after the boot had checked it (S9). */
export function unsafeAgentFailure(flaw: ConnectionFlaw, pair: NamedPair): TokenFailure {
  return unavailable(
    `http.httpsAgent ${CONNECTION_FLAWS[flaw].does}, so the ${sentCredential(pair)} was not sent.`,
    CONNECTION_FLAWS[flaw].advice,
    { local: true, unsent: 'agent' },
  );
}

/** Another system signs the assertion, so only that system can renew it. */
export function expiredAssertionFailure(ageMs: number, pair: NamedPair): TokenFailure {
  return unavailable(
    `the client assertion expired ${Math.ceil(ageMs / 1000)} s ago and was not sent.`,
    remedyOf('secret-source', pair),
    { local: true, unsent: 'secret' },
  );
}

export function outlivedFailure(pair: NamedPair): TokenFailure {
  return unavailable('the token had expired before its answer arrived.', remedyOf('server-trouble', pair), {
    transient: true,
    status: 200,
  });
}

/** The application's source of the secret failed. Its error text may contain the secret, so it is not repeated. */
export function secretSourceFailure(how: 'failed' | 'slow', pair: NamedPair, error?: unknown): TokenFailure {
  const ofSource = { local: true, unsent: 'secret' } as const;
  if (error instanceof UnknownAccountError)
    return {
      ...unavailable(
        'accounts of the options returns no credentials for it.',
        'Check the name of the account, and what accounts returns for it.',
        ofSource,
      ),
      code: 'ACCOUNT_UNKNOWN',
    };
  const name = credentialName(pair);
  const fileCode = error instanceof UnreadableSecretError ? error.fileCode : undefined;
  const reason =
    how === 'failed'
      ? `the ${name} could not be read${fileCode === undefined ? '' : ` (${fileCode})`}.`
      : `reading the ${name} took too long.`;
  return unavailable(reason, problemIn(error) ?? remedyOf('secret-source', pair), ofSource);
}

/** Only the sources of this package throw this error, so it holds nothing of a secret. An error of the application is dropped. */
function problemIn(error: unknown): string | undefined {
  const [problem] = error instanceof ProviderAuthConfigError ? error.problems : [];
  return problem && `${problem.env ?? problem.path} ${problem.message}`;
}

function sentCredential(pair: NamedPair): string {
  return pair.credential === 'key' ? 'client assertion' : credentialName(pair);
}

/** Any status that is neither 200 nor a refusal. */
export function statusFailure(status: number, askedMs: number | undefined, pair: NamedPair): TokenFailure {
  if (status >= 300 && status < 400) {
    const reason = `it redirected with status ${status}, which would send the ${sentCredential(pair)} to another address.`;
    return { ...unusableFailure(reason, pair), remedy: remedyOf('redirect', pair), status };
  }
  if (status < 400 || status > 599)
    return { ...unusableFailure(`its status is ${status} instead of 200.`, pair), status };
  const retryAfterMs = askedMs && Math.min(askedMs, LONGEST_RETRY_AFTER_MS);
  const longer = retryAfterMs === askedMs ? '' : 'longer than ';
  const asked = retryAfterMs ? ` and asked to wait ${longer}${Math.ceil(retryAfterMs / 1000)} s` : '';
  return unavailable(
    `the token endpoint answered with status ${status}${asked}.`,
    remedyOf(status === 429 ? 'too-many-requests' : 'server-trouble', pair),
    { transient: true, status, retryAfterMs },
  );
}

/** @param member the member of a definition that accepts such an answer. */
export function unusableFailure(
  reason: string,
  pair: NamedPair,
  member?: keyof ProviderTerms,
  trouble: Trouble = 'other-service',
): TokenFailure {
  return {
    code: 'TOKEN_RESPONSE_INVALID',
    reason: `the token endpoint did not give a valid token response: ${reason}`,
    remedy: `${remedyInDefinition(member, pair)}${remedyOf(trouble, pair)}`,
    transient: false,
    status: 200,
  };
}

/** The credentials, or the request itself, are refused: asking again changes nothing. */
export function refusalFailure(
  status: number,
  errorMember: unknown,
  refused: RefusedRequest,
  pair: NamedPair,
): TokenFailure {
  const oauthError = repeatable(errorMember, refused) ? errorMember : undefined;
  return {
    code: 'TOKEN_REJECTED',
    reason: `the token endpoint refused the request with status ${status}${describeRefusal(oauthError, refused.trace ?? {})}.`,
    // The remedy follows the code itself, which may not be repeated.
    remedy: refusalRemedy(status, errorMember, refused, pair),
    transient: false,
    status,
    oauthError,
    ...refused.trace,
  };
}

const NO_SUCH_PATH = new Set([404, 405, 410]);

/** How to fix a refusal, by its status and error code. */
function refusalRemedy(
  status: number,
  oauthError: unknown,
  refused: RefusedRequest,
  pair: NamedPair,
): string {
  const trouble = refusalTrouble(status, oauthError, pair);
  const remedy = remedyOf(trouble, { ...pair, providerCode: refused.trace?.providerCode });
  if (trouble !== 'refused-credentials' && trouble !== 'refused-request') return remedy;
  const problems = [
    quotesProblem(refused, pair),
    sameSecretProblem(pair),
    clockProblem(pair, refused.clockAheadMs),
  ];
  return [...problems.filter((problem) => problem !== undefined), remedy].join(' ');
}

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
function quotesProblem(credentials: RefusedRequest, { names }: NamedPair): string | undefined {
  const quoted = (['clientId', 'clientSecret'] as const).filter((member) =>
    IN_QUOTES.test(credentials[member]?.reveal() ?? ''),
  );
  if (quoted.length === 0) return undefined;
  return `The value of ${quoted.map((member) => names[member]).join(' and ')} is in quotes: remove them.`;
}

/** A shorter client id, such as `client`, is a part of many codes. */
const SHORTEST_ID = 10;

/** Only a code of lower-case words that holds no credential is repeated (S10). */
function repeatable(code: unknown, { clientId, clientSecret, assertion }: RefusedRequest): code is string {
  if (typeof code !== 'string' || !OAUTH_ERROR_CODE.test(code)) return false;
  const id = clientId && clientId.reveal().length >= SHORTEST_ID ? clientId : undefined;
  return ![id, clientSecret, assertion].some((one) => one && holdsCredential(code, one.reveal()));
}
