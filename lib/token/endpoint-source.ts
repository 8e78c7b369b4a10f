import { subjectOf } from '../catalogue/catalogue.js';
import type { TokenSettings } from '../config/options/profile.js';
import type { NamedPair } from '../errors/setting-names.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import { type TokenRequestEvent, tokenRequestChannel } from '../events/provider-auth-events.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { ClientCredential } from '../secrets/client-credential.js';
import { backoffMs, type Random } from '../time/backoff.js';
import { type Clock, pause } from '../time/clock.js';
import { Deadline } from '../time/deadline.js';
import { type CurrentSecret, mayEnd } from './current-secret.js';
import type { Place, TakePlace } from './request-places.js';
import type { TokenRequests } from './endpoint/token-endpoint.js';
import { secretSourceFailure } from './endpoint/token-failures.js';
import type { Outage } from './outage.js';
import type { TokenNeed, TokenSource } from './token-source.js';
import type { TroubleReport } from './trouble-report.js';

const BACKOFF = { firstMs: 100 };
/** The sum of all pauses of one renewal. Callers wait for them (B6). */
export const LONGEST_WAIT_MS = 2_000;

const OUTCOME = {
  TOKEN_REJECTED: 'rejected',
  TOKEN_UNAVAILABLE: 'unavailable',
  TOKEN_RESPONSE_INVALID: 'invalid',
  ACCOUNT_UNKNOWN: 'rejected',
} as const satisfies Record<TokenRequestError['code'], TokenRequestEvent['outcome']>;

interface Dependencies {
  readonly pair: NamedPair;
  readonly endpoint: TokenRequests;
  readonly takePlace: TakePlace;
  readonly secret: Pick<CurrentSecret, 'use' | 'useIfChanged' | 'readAndCompare'>;
  readonly settings: Pick<TokenSettings, 'timeoutMs' | 'maxAttempts'>;
  readonly outage: Outage;
  readonly report: Pick<TroubleReport, 'attemptTimedOut'>;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Asks the token endpoint. In a cool-down callers get the error of the last failure instead, so an outage or wrong credentials
 * cost a few token requests, not one for each caller (B7, B18).
 */
export class EndpointSource implements TokenSource {
  constructor(private readonly deps: Dependencies) {}

  async obtain(need: TokenNeed): Promise<AccessToken> {
    const { secret, outage, settings } = this.deps;
    const { standingError } = outage;
    if (standingError) {
      if (!(await mayEnd(standingError, secret, settings.timeoutMs, need.secret))) throw standingError;
      outage.endCoolDown();
    }
    try {
      const token = await this.#tryRepeatedly(need);
      outage.ended();
      return token;
    } catch (error) {
      if (!(error instanceof TokenRequestError) || need.signal?.aborted) throw error;
      throw outage.failed(error);
    }
  }

  /**
   * Tries again after a transient failure, if the pause before it is not too long for the callers (B6). The pause is the
   * server's own `Retry-After`, or has full jitter, so that the processes of a fleet do not ask at the same moment. In an
   * outage there is a single attempt: callers get the error at once, and the next try is soon (B18).
   */
  async #tryRepeatedly(need: TokenNeed): Promise<AccessToken> {
    const { outage, report, settings, clock, random } = this.deps;
    const maxAttempts = outage.isOn ? 1 : settings.maxAttempts;
    let waitLeft = LONGEST_WAIT_MS;
    let queuedMs = 0;
    const takePlace = async (): Promise<Place> => {
      const place = await this.deps.takePlace(need.signal);
      queuedMs += place.waitedMs;
      return place;
    };
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(need, attempt, takePlace);
      } catch (error) {
        if (!(error instanceof TokenRequestError) || !error.failure.transient || need.signal?.aborted)
          throw error;
        outage.attemptFailed(attempt);
        if (attempt >= maxAttempts) throw error;
        const wait = Math.max(random() * backoffMs(BACKOFF, attempt - 1), error.failure.retryAfterMs ?? 0);
        const isTooLate = need.ends && need.ends.plus(queuedMs).remaining(clock) < wait + settings.timeoutMs;
        if (wait > waitLeft || isTooLate) throw error;
        waitLeft -= wait;
        if (error.failure.timedOut) report.attemptTimedOut(error, need.reason);
        await pause(clock, wait, 'background', need.signal);
        if (need.signal?.aborted) throw error;
      }
    }
  }

  /**
   * Reads the secret and sends one token request. If the endpoint refuses the secret and it has changed meanwhile, sends one more
   * (B8). All this takes at most one `timeoutMs`, so that a whole renewal has a bound (B6). The wait for a place does not count.
   */
  async #attempt(need: TokenNeed, attempt: number, takePlace: () => Promise<Place>): Promise<AccessToken> {
    const { clock, pair, secret, settings } = this.deps;
    let ends = Deadline.after(clock, settings.timeoutMs);
    const first = await secret.use(settings.timeoutMs, attempt === 1 ? need.secret : undefined);
    const isSlowReading = ends.remaining(clock) < settings.timeoutMs / 2;
    let place = attempt === 1 ? need.place : undefined;
    if (place === undefined) {
      // After the reading: an account whose source is slow must not delay the others.
      place = await takePlace();
      ends = ends.plus(place.waitedMs);
    }
    try {
      return await this.#request(first, ends, need, attempt);
    } catch (error) {
      if (!(error instanceof TokenRequestError)) throw error;
      // The endpoint did not get its time. The next attempt may read the secret sooner.
      if (error.failure.timedOut && isSlowReading)
        throw new TokenRequestError(pair, {
          ...secretSourceFailure('slow', pair),
          timedOut: true,
          transient: true,
        });
      if (error.code !== 'TOKEN_REJECTED') throw error;
      const changed = await secret.useIfChanged(ends.remaining(clock));
      if (changed === undefined) throw error;
      return await this.#request(changed, ends, need, attempt);
    } finally {
      place.giveBack();
    }
  }

  /** Sends a token request and publishes its result on the diagnostics channel. */
  async #request(
    secret: ClientCredential,
    ends: Deadline,
    need: TokenNeed,
    attempt: number,
  ): Promise<AccessToken> {
    const { clock, endpoint, pair, settings } = this.deps;
    const startedAt = clock.wall();
    const started = clock.monotonic();
    const publish = (
      result: Pick<TokenRequestEvent, 'outcome' | 'status' | 'oauthError' | 'fingerprint'>,
    ): void => {
      const durationMs = clock.monotonic() - started;
      const { reason } = need;
      tokenRequestChannel.publish({ ...subjectOf(pair), reason, attempt, startedAt, durationMs, ...result });
    };
    try {
      const token = await endpoint.request(secret, ends.remaining(clock), {
        kind: 'background',
        signal: need.signal,
        onSent: need.onSent,
        timeoutMs: settings.timeoutMs,
      });
      if (tokenRequestChannel.hasSubscribers)
        publish({ outcome: 'ok', status: 200, fingerprint: token.fingerprint });
      return token;
    } catch (error) {
      // The application closes, or another process has a token first: this request was ended, and its error says nothing.
      const givenUp = need.signal?.aborted === true;
      const isSent = error instanceof TokenRequestError && error.failure.unsent === undefined;
      if (tokenRequestChannel.hasSubscribers && isSent && !givenUp)
        publish({ outcome: OUTCOME[error.code], status: error.status, oauthError: error.oauthError });
      throw error;
    }
  }
}
