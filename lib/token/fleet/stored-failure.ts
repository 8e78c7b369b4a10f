import type { ProviderPair } from '../../catalogue/provider-catalogue.js';
import { OAUTH_ERROR_CODE } from '../../catalogue/wire.js';
import { type TokenFailure, TokenRequestError } from '../../errors/token-request.error.js';
import type { FleetEntry } from './fleet-entry.js';

const CODES: readonly TokenFailure['code'][] = [
  'TOKEN_REJECTED',
  'TOKEN_UNAVAILABLE',
  'TOKEN_RESPONSE_INVALID',
];

/**
 * How long a failure may hold the others back. Where the endpoint answered, they would hear the same; where it did not,
 * this process's own network may be to blame, and the others should find out soon.
 */
const LONGEST_MS = { asked: 60_000, answered: 5_000, unanswered: 2_000 } as const;

/** How long the others shall take this failure for theirs; 0 for one that is only this process's own. */
export function sharedFor(error: TokenRequestError, wishedMs: number): number {
  const { status, retryAfterMs, transient } = error;
  // Neither an answer nor worth another try: the source of the secret, or the certificates that this process trusts.
  if (status === undefined && !transient) return 0;
  if (retryAfterMs !== undefined) return Math.min(Math.max(retryAfterMs, wishedMs), LONGEST_MS.asked);
  return Math.min(wishedMs, status === undefined ? LONGEST_MS.unanswered : LONGEST_MS.answered);
}

export function sealFailure(entry: FleetEntry, error: TokenRequestError): string {
  const { code, reason, remedy, transient, status, oauthError } = error.failure;
  return entry.seal('failure', { code, reason, remedy, transient, status, oauthError });
}

/** What another process was told a moment ago, as an error of this one; undefined where the note is not one of ours. */
export function openFailure(
  entry: FleetEntry,
  value: string,
  pair: ProviderPair,
  retryAt: Date,
): TokenRequestError | undefined {
  const note = entry.open('failure', value);
  const told = note && readFailure(note);
  if (told === undefined) return undefined;
  const reason = `another process has just tried, and ${told.reason}`;
  return new TokenRequestError(pair, { ...told, reason, retryAt });
}

/** The seal says that a holder of the client secret wrote it; what is in it is checked all the same, and no more taken. */
function readFailure(note: ReadonlyMap<string, unknown>): TokenFailure | undefined {
  const code = CODES.find((known) => known === note.get('code'));
  const reason = note.get('reason');
  const remedy = note.get('remedy');
  const transient = note.get('transient');
  const status = note.get('status');
  const oauthError = note.get('oauthError');
  if (code === undefined || typeof reason !== 'string' || typeof remedy !== 'string') return undefined;
  if (typeof transient !== 'boolean') return undefined;
  if (status !== undefined && typeof status !== 'number') return undefined;
  if (oauthError !== undefined && !isErrorCode(oauthError)) return undefined;
  return { code, reason, remedy, transient, status, oauthError };
}

function isErrorCode(told: unknown): told is string {
  return typeof told === 'string' && OAUTH_ERROR_CODE.test(told);
}
