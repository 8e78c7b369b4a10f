import {
  clockProblem,
  remedyOf,
  sameSecretProblem,
  sharedValueProblems,
  type Trouble,
} from '../../errors/remedies.js';
import type { NamedPair } from '../../errors/setting-names.js';
import type { Secret } from '../../secrets/secret.js';

/** What is known of a token request that was refused. */
export interface RefusedRequest {
  readonly clientId: Secret | undefined;
  readonly clientSecret: Secret;
  /** The client assertion, if there was one. */
  readonly assertion?: Secret | undefined;
  /** By how much the clock of this machine is ahead of the server's. Undefined if the answer has no `Date`. */
  readonly clockAheadMs?: number | undefined;
}

const NO_SUCH_PATH = new Set([404, 405, 410]);

/** How to fix a refusal, by its status and error code. */
export function refusalRemedy(
  status: number,
  oauthError: string | undefined,
  refused: RefusedRequest,
  pair: NamedPair,
): string {
  const trouble = refusalTrouble(status, oauthError);
  const remedy = remedyOf(trouble, pair);
  if (trouble !== 'refused-credentials') return remedy;
  const problems = [
    quotesProblem(refused, pair),
    sameSecretProblem(pair),
    ...sharedValueProblems(pair),
    clockProblem(pair, refused.clockAheadMs),
  ];
  return [...problems.filter((problem) => problem !== undefined), remedy].join(' ');
}

function refusalTrouble(status: number, oauthError: string | undefined): Trouble {
  if (oauthError === 'invalid_client') return 'refused-credentials';
  if (NO_SUCH_PATH.has(status)) return 'no-endpoint';
  return oauthError === 'unauthorized_client' || status === 403 ? 'refused-grant' : 'refused-credentials';
}

/** A text with the same quote at both ends. */
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
  const named = quoted.map((member) => names[member]).join(' and ');
  return quoted.length === 1
    ? `The value of ${named} is in quotes: remove them.`
    : `The values of ${named} are in quotes: remove them.`;
}
