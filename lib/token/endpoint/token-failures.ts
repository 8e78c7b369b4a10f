import type { PeerCertificate } from 'node:tls';
import type { ProviderTerms } from '../../catalogue/catalogue.js';
import { UnknownAccountError } from '../../secrets/account-source.js';
import { UnreadableSecretError } from '../../secrets/secret-source.js';
import { errorCode } from '../../errors/error-code.js';
import { ProviderAuthConfigError } from '../../errors/provider-auth-config.error.js';
import {
  certificateFlaw,
  isMatterOfTrust,
  networkTrouble,
  remedyInDefinition,
  remedyOf,
  type Trouble,
  troubleBehindProxy,
} from '../../errors/troubles.js';
import { credentialName, type NamedPair } from '../../errors/setting-names.js';
import type { TokenFailure } from '../../errors/token-request.error.js';
import { proxyErrorIn } from '../../net/proxy.js';
import { CONNECTION_FLAWS, type ConnectionFlaw } from '../../net/certificate-checks.js';

/** The words of each failure of a token request, except for a refusal. Nothing that the server sent is repeated. */

/** The others between 400 and 499 are refusals. */
export const TRANSIENT_4XX: ReadonlySet<number> = new Set([408, 425, 429]);

/** If a server asks for a longer wait, it is asked again after this time. A typing error must not stop a backend for days. */
const LONGEST_RETRY_AFTER_MS = 60 * 60 * 1000;

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
  // `tls` says nothing about the certificate of a proxy.
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
