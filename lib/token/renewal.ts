import { subjectOf } from '../catalogue/catalogue.js';
import type { Profile, TokenSettings } from '../config/options/profile.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import { type TokenRequestEvent, tokenRequestChannel } from '../events/provider-auth-events.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { ClientCredential } from '../secrets/client-credential.js';
import { backoffMs, type Random } from '../time/backoff.js';
import { type Clock, Deadline, pause } from '../time/clock.js';
import { settledWithin, TooSlowError } from '../time/within.js';
import type { TokenRequests } from './endpoint/token-endpoint.js';
import { secretSourceFailure } from './endpoint/token-failures.js';
import type { Fleet } from './fleet/fleet.js';
import type { Failure, Outage } from './outage.js';
import { BACK_OFF, LOOK } from './pauses.js';
import type { TokenNeed } from './token-need.js';
import type { Slot } from './token-origins.js';
import type { TroubleReport } from './trouble-report.js';

interface Parts {
  readonly profile: Profile;
  readonly endpoint: TokenRequests;
  readonly fleet?: Fleet | undefined;
  readonly slot: (ends: Deadline) => Slot;
  readonly settings: Pick<TokenSettings, 'timeoutMs' | 'maxAttempts'>;
  readonly outage: Outage;
  readonly report: Pick<TroubleReport, 'attemptTimedOut'>;
  readonly clock: Clock;
  readonly random: Random;
}

const OUTCOME = {
  TOKEN_REJECTED: 'rejected',
  TOKEN_UNAVAILABLE: 'unavailable',
  TOKEN_RESPONSE_INVALID: 'invalid',
  ACCOUNT_UNKNOWN: 'rejected',
} as const satisfies Record<TokenRequestError['code'], TokenRequestEvent['outcome']>;

/**
 * One renewal after the other, from the need to a token or an error: the cool-down, the secret, the fleet, then attempts at the
 * token endpoint with a back-off between them.
 *
 * There are five reasons to wait. They answer different questions, so none of them starts another:
 *
 * 1. The cool-down in `Outage`: no token request. A failed renewal starts it, and the note of another process may prolong it.
 * 2. The back-off here: between two attempts of one renewal.
 * 3. The pause in `RenewalPause`: no renewal after a 401. Expired tokens are renewed all the same.
 * 4. The pause in `GuardedStore`: no message to the store. Token requests go on.
 * 5. The lease of another process, in `Fleet`: that process asks, and this one waits for its token.
 */
export class Renewal {
  #used: ClientCredential | undefined;
  #nextLook: Deadline | undefined;
  /** How often a look has found another secret since the last token. */
  #changes = 0;

  constructor(private readonly parts: Parts) {}

  /** The API has refused this token, perhaps while another one is being obtained. */
  refused(token: AccessToken): void {
    this.parts.fleet?.refused(token);
  }

  /** The last failure since the last token. */
  get failure(): Failure | undefined {
    return this.parts.outage.failure;
  }

  /** Obtains one token, or rejects with `TokenRequestError`. */
  async obtain(need: TokenNeed): Promise<AccessToken> {
    const { outage, settings, clock } = this.parts;
    if (outage.standingError) {
      const token = await this.#look(need);
      if (token) return token;
      // Asked once: the cool-down may end at any moment.
      const { standingError } = outage;
      if (standingError) throw standingError;
    }
    const renewalMs = settings.maxAttempts * settings.timeoutMs + BACK_OFF.longestSumMs;
    const slot = this.parts.slot(Deadline.after(clock, renewalMs));
    try {
      return this.#obtained(await this.#renew(need, slot));
    } finally {
      slot.giveBack();
    }
  }

  #obtained(token: AccessToken): AccessToken {
    this.parts.outage.ended();
    this.#changes = 0;
    return token;
  }

  /** During the cool-down: returns a token of the fleet. Ends the cool-down if the refused secret has changed. */
  async #look(need: TokenNeed): Promise<AccessToken | undefined> {
    const { clock, fleet, outage, profile } = this.parts;
    // A system may sign a new assertion for each reading, so another assertion does not show that anything was fixed.
    const mayEnd = outage.failure?.error.code === 'TOKEN_REJECTED' && profile.credential !== 'assertion';
    if (!fleet && !mayEnd) return undefined;
    if (this.#nextLook?.hasCome(clock) === false) return undefined;
    this.#lookLater();
    const reading = this.#read(need, true).then((secret) => {
      if (mayEnd && this.#isChanged(secret)) this.#secretChanged();
      return fleet?.placeOf(secret, need.signal);
    });
    // A slow reading goes on, and may end the cool-down for the next caller.
    const place = await settledWithin(LOOK.patienceMs, reading, clock).catch(() => undefined);
    const token = place && (await fleet?.look(place, need));
    return token && this.#obtained(token);
  }

  #secretChanged(): void {
    this.#changes += 1;
    this.#lookLater();
    this.parts.outage.endCoolDown();
  }

  #lookLater(): void {
    this.#nextLook = Deadline.after(this.parts.clock, backoffMs(LOOK, this.#changes));
  }

  /** Rejects with `TokenRequestError`. The caller may look at the result later. */
  #read(
    { signal }: TokenNeed,
    isAgain = false,
    withinMs = this.parts.settings.timeoutMs,
  ): Promise<ClientCredential> {
    const { clock, profile } = this.parts;
    // A source that throws is treated as a source that rejects. In another turn: a source that needs this token itself must find
    // its renewal, and wait for it.
    const asked = Promise.resolve().then(() => profile.clientSecret.read(isAgain));
    const reading = settledWithin(withinMs, asked, clock, signal).catch((error: unknown) => {
      const how = error instanceof TooSlowError ? 'slow' : 'failed';
      throw new TokenRequestError(profile, secretSourceFailure(how, profile, error));
    });
    reading.catch(() => undefined);
    return reading;
  }

  #isChanged(secret: ClientCredential): boolean {
    return this.#used !== undefined && !secret.equals(this.#used);
  }

  async #renew(need: TokenNeed, slot: Slot): Promise<AccessToken> {
    const { fleet } = this.parts;
    const secret = this.#read(need);
    const place = await fleet?.placeOf(secret, need.signal);
    if (fleet === undefined || place === undefined) return this.#ask(need, slot, secret);
    return fleet.obtain(
      place,
      need,
      slot,
      (asking) => this.#ask(asking, slot, secret),
      // The secret may have changed after a refusal.
      () => fleet.placeOf(this.#used ?? secret),
    );
  }

  /**
   * Tries again after a transient failure, if the pause before it is not too long for the callers. The pause is the server's own
   * `Retry-After`, or has full jitter. In an outage there is a single attempt: callers get the error at once, and the next try is
   * soon.
   */
  async #ask(need: TokenNeed, slot: Slot, secret: Promise<ClientCredential>): Promise<AccessToken> {
    const { fleet, outage, report, settings, clock, random } = this.parts;
    const { reason, signal } = need;
    const maxAttempts = outage.isOn ? 1 : settings.maxAttempts;
    let waitLeft: number = BACK_OFF.longestSumMs;
    let failedAt: number | undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(need, slot, attempt, attempt === 1 ? secret : this.#read(need));
      } catch (error) {
        slot.giveBack();
        if (!(error instanceof TokenRequestError) || signal?.aborted) throw error;
        failedAt ??= clock.monotonic();
        const { transient, timedOut, retryAfterMs = 0 } = error.failure;
        const wait = Math.max(random() * backoffMs(BACK_OFF, attempt - 1), retryAfterMs);
        const isTooLong = wait > waitLeft || slot.remainingMs < wait + settings.timeoutMs;
        if (!transient || attempt >= maxAttempts || isTooLong) {
          // This process has just looked for a token of the fleet.
          if (fleet) this.#lookLater();
          throw outage.failed(error, failedAt);
        }
        waitLeft -= wait;
        if (timedOut) report.attemptTimedOut(error, reason);
        await pause(clock, wait, signal);
        if (signal?.aborted) throw error;
      }
    }
  }

  /**
   * Sends one token request. If the endpoint refuses the secret and it has changed meanwhile, sends one more. All this takes at
   * most one `timeoutMs`, so that a whole renewal has a bound. The wait for a place does not count.
   */
  async #attempt(
    need: TokenNeed,
    slot: Slot,
    attempt: number,
    reading: Promise<ClientCredential>,
  ): Promise<AccessToken> {
    const { clock, profile, settings } = this.parts;
    const deadline = Deadline.after(clock, settings.timeoutMs);
    const secret = await reading;
    const isSlowReading = deadline.remaining(clock) < settings.timeoutMs / 2;
    // After the reading: an account whose source is slow must not delay the others.
    const ends = deadline.plus(await slot.take(need.signal));
    const request = (used: ClientCredential): Promise<AccessToken> => {
      this.#used = used;
      const send = () => this.#send(used, need, attempt, ends);
      return need.caller ? need.caller.runInAsyncScope(send) : send();
    };
    try {
      return await request(secret);
    } catch (error) {
      if (!(error instanceof TokenRequestError)) throw error;
      // The endpoint did not get its time. The next attempt may read the secret sooner.
      if (error.failure.timedOut && isSlowReading) {
        const slow = secretSourceFailure('slow', profile);
        throw new TokenRequestError(profile, { ...slow, timedOut: true, transient: true });
      }
      if (error.code !== 'TOKEN_REJECTED') throw error;
      const again = await this.#read(need, true, ends.remaining(clock)).catch(() => undefined);
      if (again === undefined || !this.#isChanged(again)) throw error;
      return request(again);
    }
  }

  async #send(
    secret: ClientCredential,
    { reason, signal }: TokenNeed,
    attempt: number,
    ends: Deadline,
  ): Promise<AccessToken> {
    const { clock, endpoint, profile, settings } = this.parts;
    const { timeoutMs } = settings;
    const startedAt = clock.wall();
    const started = clock.monotonic();
    const publish = (
      result: Pick<TokenRequestEvent, 'outcome' | 'status' | 'oauthError' | 'fingerprint'>,
    ): void => {
      if (!tokenRequestChannel.hasSubscribers) return;
      const durationMs = clock.monotonic() - started;
      const event = { ...subjectOf(profile), reason, attempt, startedAt, durationMs, ...result };
      tokenRequestChannel.publish(event);
    };
    try {
      const token = await endpoint.request(secret, ends.remaining(clock), { signal, timeoutMs });
      publish({ outcome: 'ok', status: 200, fingerprint: token.fingerprint });
      return token;
    } catch (error) {
      // The application closes, or another process has a token first: this request was ended, and its error says nothing.
      const isSent = error instanceof TokenRequestError && error.failure.unsent === undefined;
      if (isSent && !signal?.aborted)
        publish({ outcome: OUTCOME[error.code], status: error.status, oauthError: error.oauthError });
      throw error;
    }
  }
}
