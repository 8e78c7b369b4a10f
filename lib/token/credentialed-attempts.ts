import { type AnyPair, subjectOf } from '../catalogue/catalogue.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import { type TokenRequestEvent, tokenRequestChannel } from '../events/provider-auth-events.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { ClientCredential } from '../secrets/client-credential.js';
import type { Clock } from '../time/clock.js';
import { Deadline } from '../time/deadline.js';
import type { CurrentSecret } from './current-secret.js';
import type { TokenRequests } from './endpoint/token-endpoint.js';
import { timerKind, type TokenNeed } from './token-source.js';

interface Dependencies {
  readonly pair: AnyPair;
  readonly endpoint: TokenRequests;
  readonly secret: CurrentSecret;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/**
 * One attempt with the present client secret (B8). The secret is read for each token request. After a refusal the secret is
 * read again. If the secret has changed, one more token request is sent with the new secret. All this takes at most one
 * `timeoutMs`, so that a whole renewal has a bound (B6).
 */
export class CredentialedAttempts {
  readonly #deps: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#deps = dependencies;
  }

  /** @param attempt counts from 1 within one renewal. */
  async attempt(need: TokenNeed, attempt: number): Promise<AccessToken> {
    const { clock, secret, timeoutMs } = this.#deps;
    const ends = Deadline.after(clock, timeoutMs);
    const kind = timerKind(need);
    const first = await secret.use(timeoutMs, kind, attempt === 1 ? need.secret : undefined);
    try {
      return await this.#request(first, ends, need, attempt);
    } catch (error) {
      if (!(error instanceof TokenRequestError) || error.code !== 'TOKEN_REJECTED') throw error;
      const changed = await secret.useIfChanged(ends.remaining(clock), kind);
      if (changed === undefined) throw error;
      return this.#request(changed, ends, need, attempt);
    }
  }

  /** Sends a token request and publishes its result on the diagnostics channel. */
  async #request(
    secret: ClientCredential,
    ends: Deadline,
    need: TokenNeed,
    attempt: number,
  ): Promise<AccessToken> {
    const { clock, endpoint, pair, timeoutMs } = this.#deps;
    const within = ends.remaining(clock);
    const startedAt = clock.wall();
    const started = clock.monotonic();
    const publish = (
      result: Pick<TokenRequestEvent, 'outcome' | 'status' | 'oauthError' | 'fingerprint'>,
    ): void => {
      tokenRequestChannel.publish({
        ...subjectOf(pair),
        reason: need.reason,
        attempt,
        startedAt,
        durationMs: clock.monotonic() - started,
        ...result,
      });
    };
    try {
      const token = await endpoint.request(secret, within, {
        kind: timerKind(need),
        signal: need.signal,
        onSent: need.onSent,
        timeoutMs,
      });
      if (tokenRequestChannel.hasSubscribers)
        publish({ outcome: 'ok', status: 200, fingerprint: token.fingerprint });
      return token;
    } catch (error) {
      // The application closes and has ended this request: the error says nothing about the endpoint.
      const givenUp = need.signal?.aborted === true;
      const isSent = error instanceof TokenRequestError && !error.failure.isOfSecretSource;
      if (tokenRequestChannel.hasSubscribers && isSent && !givenUp) {
        publish({ outcome: OUTCOME[error.code], status: error.status, oauthError: error.oauthError });
      }
      throw error;
    }
  }
}

const OUTCOME = {
  TOKEN_REJECTED: 'rejected',
  TOKEN_UNAVAILABLE: 'unavailable',
  TOKEN_RESPONSE_INVALID: 'invalid',
  ACCOUNT_UNKNOWN: 'rejected',
} as const satisfies Record<TokenRequestError['code'], TokenRequestEvent['outcome']>;
