import { AsyncResource } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { subjectOf } from '../catalogue/catalogue.js';
import type { Profile, TokenSettings } from '../config/options/profile.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import {
  type RenewalReason,
  type TokenCacheEvent,
  tokenCacheChannel,
} from '../events/provider-auth-events.js';
import type { AccessToken } from '../secrets/access-token.js';
import { type Clock, Deadline, holdProcess } from '../time/clock.js';
import { abortable, aborted } from '../values/abortable.js';
import { type Accounts, IdentifiedTokens } from './accounts.js';
import type { GuardedStore } from './fleet/guarded-store.js';
import { IN_USE_MS } from './pauses.js';
import type { Renewal } from './renewal.js';
import { RenewalPause } from './renewal-pause.js';
import { TokenIdentity, type TokenTarget } from './token-identity.js';
import type { TokenNeed } from './token-need.js';
import { type TokenCallOptions, TokenProvider, type TokenStatus } from './token-provider.js';
import type { TroubleReport } from './trouble-report.js';

interface Parts {
  readonly profile: Pick<Profile, 'provider' | 'interface' | 'environment' | 'active' | 'account'> &
    Partial<Pick<Profile, 'credential' | 'tls'>>;
  readonly settings: Pick<TokenSettings, 'expiryLeewayMs' | 'renewAheadMs'>;
  readonly source: Pick<Renewal, 'obtain' | 'failure'> & Partial<Pick<Renewal, 'refused'>>;
  readonly report: TroubleReport;
  readonly clock: Clock;
  readonly store?: Pick<GuardedStore, 'isFailing' | 'asked'> | undefined;
  readonly accounts?: Accounts<Tokens> | undefined;
  readonly onIdle?: (() => void) | undefined;
  /** Why there can be no such token. Each caller gets a separate error. */
  readonly refusal?: (() => Error) | undefined;
}

/** Servers round the remaining life, and requests take time. So a repeated token may seem to live this much longer. */
const ROUNDING_MS = 2_000;

/**
 * The async context outside of any call. A renewal is for all callers, so it runs in the context of none: it would keep that
 * context in memory, and the code of the application that gives secrets would see one caller's data.
 */
const outside = new AsyncResource('provider-auth:renewal');

interface CachedToken {
  readonly token: AccessToken;
  readonly leewayMs: number;
  readonly obtainedAt: Deadline;
  /** From this moment on, a call starts the renewal ahead. */
  readonly renewFrom: Deadline | undefined;
  /** The version of the certificate that it may be bound to. */
  readonly boundTo: symbol | undefined;
}

/** One request for a token under way. All callers that need a token meanwhile share its result. */
interface Flight {
  readonly promise: Promise<AccessToken>;
  readonly ending: AbortController;
  /** How many callers have joined, and how many of them wait. */
  callers: number;
  waiting: number;
  /** Lets the process end. Only while a caller waits does the request keep it alive. */
  release: (() => void) | undefined;
}

/**
 * The token of one pair or account: it is kept in memory, and another one is requested when it has expired (S8) or was refused. Any
 * number of callers share this request. There is no timer: a call starts the renewal ahead, and a question about the state starts a
 * trial after a failure.
 */
export class Tokens extends TokenProvider<string, string> {
  readonly interface: string;
  readonly environment: string;
  readonly active: boolean;
  readonly #parts: Parts;
  /** A token may be bound to the certificate that proves who the client is (RFC 8705 section 3). */
  readonly #certificate: Profile['tls'];
  /** From the first renewal after a 401 on. */
  #pause: RenewalPause | undefined;
  #cached: CachedToken | undefined;
  #flight: Flight | undefined;
  /** The API refused this token, and no other token has been obtained since. No caller gets this token again. */
  #refused: AccessToken | undefined;
  #hasWorked = false;
  #closed = false;
  #usedAt = -Infinity;

  constructor(parts: Parts) {
    super();
    const { profile } = parts;
    this.interface = profile.interface;
    this.environment = profile.environment;
    this.active = profile.active;
    this.#parts = parts;
    this.#certificate = profile.credential === 'certificate' ? profile.tls : undefined;
  }

  getToken(options?: TokenCallOptions): Promise<AccessToken> {
    const rejection = this.#rejection(options);
    if (rejection) return rejection;
    const valid = this.useIfValid();
    return valid ? Promise.resolve(valid) : this.#join(this.#currentFlight(), options?.signal);
  }

  /** The valid token in memory, if there is one, without a promise. This counts as a use of the token. */
  useIfValid(): AccessToken | undefined {
    const valid = this.#validToken();
    this.#markUsed();
    if (valid === undefined) return undefined;
    if (valid.renewFrom?.hasCome(this.#parts.clock)) this.#startInBackground();
    this.#publishCacheEvent('memory');
    return valid.token;
  }

  renew(refused: AccessToken, options?: TokenCallOptions): Promise<AccessToken> {
    return this.#rejection(options) ?? this.#renew(refused, (flight) => this.#join(flight, options?.signal));
  }

  /** No caller waits for the new token, so its request ends as soon as the application closes. */
  renewForNextCall(refused: AccessToken): void {
    if (!this.#closed) this.#renew(refused, ({ promise }) => promise).catch(() => undefined);
  }

  #renew(refused: AccessToken, resultOf: (flight: Flight) => Promise<AccessToken>): Promise<AccessToken> {
    const other = this.#replacementOf(refused);
    if (other) return Promise.resolve(other);
    // A request that began before this refusal may take the refused token from the store.
    const renewed = resultOf(this.#currentFlight()).then((token) =>
      token.cameFromStore && token.equals(refused) ? this.#renew(refused, resultOf) : token,
    );
    renewed.catch(() => undefined);
    return renewed;
  }

  /** The token to use in place of a refused one. Undefined if it is still to be obtained. */
  #replacementOf(refused: AccessToken): AccessToken | undefined {
    const valid = this.#validToken();
    // A provider that was made again for an account does not know what it gave before, and a store may still have it.
    if (this.#cached === undefined) this.#refused ??= refused;
    // Token-exact: only the token that was refused is renewed, and only once.
    if (!valid?.token.equals(refused)) return this.useIfValid();
    if (this.#isKept(refused, true)) return valid.token;
    this.#refused = valid.token;
    this.#parts.source.refused?.(valid.token);
    this.#cached = undefined;
    return undefined;
  }

  /**
   * A request with this token succeeded. This ends a pause of renewals.
   *
   * @param isSentOnce whether the request could not have been sent again after a 401.
   */
  reportSuccess(token: AccessToken, isSentOnce = false): void {
    this.#hasWorked = true;
    const pause = this.#pause;
    if (pause === undefined) return;
    if (isSentOnce && pause.isUntested(token)) pause.helped();
    if (!this.#cached?.token.equals(token)) return;
    pause.markWorking();
    this.#parts.report.renewalsResumed();
  }

  /** A request that was sent again after a renewal got an answer, such as a 404, that refuses no token. */
  reportHelp(): void {
    this.#pause?.helped();
  }

  /** A request with this token got a 401. */
  reportRefusal(token: AccessToken): void {
    this.#pause?.refused(token);
  }

  /**
   * Pauses renewals at once, because the API refuses a token that a renewal has just brought.
   *
   * @returns whether `renew` would give the same token now. It would not if another process may have brought the token.
   */
  pauseRenewals(refused: AccessToken): boolean {
    return this.#validToken()?.token.equals(refused) === true && this.#isKept(refused, false);
  }

  /** Whether renewals turn out to be useless, so that the current token is kept. Then they pause, and this logs a warning. */
  #isKept(refused: AccessToken, begins: boolean): boolean {
    const pause = this.#pause;
    // The request under way brings another token anyway, unless renewals are paused.
    if (pause === undefined || (this.#flight && !pause.isOn)) return false;
    const isKept = pause.keeps(refused, begins);
    if (pause.isOn) this.#parts.report.renewalsPaused(this.#hasWorked);
    return isKept;
  }

  for(target: TokenTarget): TokenProvider<string, string> {
    const identity = TokenIdentity.of(target);
    return identity === undefined ? this : new IdentifiedTokens(this, identity);
  }

  /**
   * The tokens of an identity. Without one, this provider itself.
   *
   * @param isUse whether the tokens are kept, if they are new, and count as used now.
   */
  of(identity: TokenIdentity | undefined, isUse = true): TrackedTokenProvider {
    if (identity === undefined) return this;
    if (this.#parts.accounts === undefined)
      throw new TypeError('These are the tokens of one account already.');
    // Its API is in use, whichever token a call has.
    if (isUse) this.#markUsed();
    const tokens = this.#parts.accounts.of(identity, isUse);
    if (this.#closed) tokens.close();
    return tokens;
  }

  get isBusy(): boolean {
    return this.#flight !== undefined;
  }

  /** Whether a request with any token has succeeded. */
  get hasWorked(): boolean {
    return this.#hasWorked;
  }

  /** Whether the pair is active, or was used lately. Only such a pair can make a health check fail. */
  get isInUse(): boolean {
    return this.active || this.#parts.clock.monotonic() - this.#usedAt < IN_USE_MS;
  }

  status(): TokenStatus<string, string> {
    const { interface: name, environment, active, state } = this;
    const { clock, store, source } = this.#parts;
    const accounts = this.#parts.accounts?.counts;
    const cached = this.#cached;
    const { failure } = source;
    // A process that is out of rotation because of its health check has no callers that would try. An unused pair has its failure
    // to itself, and costs no more requests.
    if (state === 'failing' && this.isInUse) this.#startInBackground();
    store?.asked();
    return {
      interface: name,
      environment,
      active,
      state,
      ...(cached && {
        expiresAt: cached.token.expiresBy(clock),
        obtainedAt: cached.obtainedAt.dateBy(clock),
        fingerprint: cached.token.fingerprint,
      }),
      ...(failure && {
        lastError: { code: failure.error.code, message: failure.error.message, at: failure.at.dateBy(clock) },
        retryAt: failure.until.dateBy(clock),
      }),
      ...(store && { store: store.isFailing ? 'failing' : 'ok' }),
      ...(accounts && { accounts }),
    };
  }

  /**
   * Ends work that no caller waits for, at once or as soon as the last caller has left. Callers still get tokens, also after
   * this call.
   */
  close(): void {
    this.#closed = true;
    for (const one of this.#parts.accounts?.all ?? []) one.close();
    this.#endIfLeft();
  }

  get state(): TokenStatus['state'] {
    if (this.#validToken()) return 'valid';
    if (this.#parts.source.failure) return 'failing';
    if (this.#flight) return 'renewing';
    return this.#cached ? 'expired' : 'empty';
  }

  #markUsed(): void {
    if (!this.active) this.#usedAt = this.#parts.clock.monotonic();
  }

  #validToken(): CachedToken | undefined {
    const cached = this.#cached;
    if (cached?.token.endsWithin(cached.leewayMs, this.#parts.clock) !== false) return undefined;
    return cached.boundTo === this.#certificate?.version ? cached : undefined;
  }

  /** Why a call gets no token, whatever happens. */
  #rejection(options: TokenCallOptions | undefined): Promise<never> | undefined {
    const signal = options?.signal;
    if (signal?.aborted) return aborted(signal);
    const { refusal } = this.#parts;
    return refusal && Promise.reject(refusal());
  }

  #currentFlight(): Flight {
    const reason = this.#refused ? 'unauthorized' : this.#cached ? 'expired' : 'cold';
    return this.#flight ?? this.#startFlight(reason);
  }

  /** Each caller gets a separate error: what one writes on its error must not reach the others. */
  #join(flight: Flight, signal: AbortSignal | undefined): Promise<AccessToken> {
    flight.callers += 1;
    flight.waiting += 1;
    flight.release ??= holdProcess();
    const own = abortable(flight.promise.catch(throwCopy), signal);
    const leave = (): void => {
      flight.waiting -= 1;
      if (flight.waiting > 0) return;
      flight.release?.();
      flight.release = undefined;
      this.#endIfLeft();
    };
    // A caller may ignore its promise, so its failure is handled here.
    own.then(leave, leave);
    return own;
  }

  #endIfLeft(): void {
    const flight = this.#flight;
    if (!this.#closed || flight === undefined || flight.waiting > 0) return;
    // This request ends now. A later caller must start a new request instead of joining this one.
    this.#flight = undefined;
    flight.ending.abort();
  }

  /** A renewal ahead, or a trial after a failure: no caller waits for it. */
  #startInBackground(): void {
    if (this.#flight || this.#closed) return;
    if (this.#parts.source.failure?.until.hasCome(this.#parts.clock) === false) return;
    // If it fails, callers use the token that is still valid, or get the error of their own request.
    this.#startFlight('ahead').promise.catch(() => undefined);
  }

  #startFlight(reason: RenewalReason): Flight {
    const ending = new AbortController();
    // A request in the background belongs to no caller.
    const caller = reason === 'ahead' ? undefined : new AsyncResource('provider-auth:token-request');
    const need = { reason, refused: this.#refused, signal: ending.signal, caller };
    const promise = outside.runInAsyncScope(() => this.#request(need, () => flight));
    const flight: Flight = { promise, ending, callers: 0, waiting: 0, release: undefined };
    this.#flight = flight;
    return flight;
  }

  async #request(need: TokenNeed, flight: () => Flight): Promise<AccessToken> {
    const { onIdle, source } = this.#parts;
    const versionBefore = this.#certificate?.version;
    const errorBefore = source.failure?.error;
    try {
      const token = await source.obtain(need);
      if (this.#finish(flight()))
        this.#store(token, need.refused, this.#certificate && (token.tlsVersion ?? versionBefore));
      this.#publishCacheEvent(token.cameFromStore ? 'store' : 'miss', flight().callers);
      return token;
    } catch (error) {
      // A caller may try again and again. In a cool-down no I/O would happen in between, and no timer of the process would run.
      if (error === errorBefore) await setImmediate();
      if (this.#finish(flight())) this.#reportFailure(error);
      this.#publishCacheEvent('miss', flight().callers);
      throw error;
    } finally {
      onIdle?.();
    }
  }

  /** Returns whether the result of this request counts. After `close()` a request that no caller waits for does not. */
  #finish(flight: Flight): boolean {
    if (this.#flight !== flight) return false;
    this.#flight = undefined;
    return true;
  }

  /** @param refused the token that the API refused, if the renewal was about one. */
  #store(token: AccessToken, refused: AccessToken | undefined, boundTo: symbol | undefined): void {
    const { clock, report, settings } = this.#parts;
    const now = Deadline.after(clock, 0);
    // Some endpoints return the same token until it expires. Then a request before its end is useless (S8).
    const isRepeated = isSameLife(token, this.#cached?.token ?? this.#refused, clock);
    const leewayMs = isRepeated ? 0 : token.leewayOf(settings.expiryLeewayMs);
    const aheadMs = Math.min(settings.renewAheadMs, (token.lifetimeMs - leewayMs) / 2);
    const renewFrom =
      aheadMs > 0 && !isRepeated ? now.plus(token.remainingMs(clock) - leewayMs - aheadMs) : undefined;
    this.#cached = { token, leewayMs, obtainedAt: now, renewFrom, boundTo };
    this.#refused = undefined;
    if (refused) (this.#pause ??= new RenewalPause(clock)).renewed(token);
    report.obtained();
  }

  #reportFailure(error: unknown): void {
    if (!(error instanceof TokenRequestError)) return;
    const { clock, report } = this.#parts;
    const valid = this.#validToken();
    if (valid) report.renewalAheadFailed(error, valid.token.expiresBy(clock));
    else report.failed(error);
  }

  #publishCacheEvent(result: TokenCacheEvent['result'], callers = 1): void {
    if (!tokenCacheChannel.hasSubscribers) return;
    const { profile } = this.#parts;
    for (let published = 0; published < callers; published += 1) {
      tokenCacheChannel.publish({ ...subjectOf(profile), result });
    }
  }
}

/** What the HTTP clients use. */
export type TrackedTokenProvider = Omit<Tokens, 'close' | 'isBusy' | 'state'>;

function throwCopy(error: unknown): never {
  throw error instanceof TokenRequestError ? error.copy() : error;
}

/** Whether a renewal brought the token that it had to replace, with the remaining part of its life. */
function isSameLife(token: AccessToken, before: AccessToken | undefined, clock: Clock): boolean {
  if (before === undefined || !token.equals(before)) return false;
  return token.remainingMs(clock) <= before.remainingMs(clock) + ROUNDING_MS;
}
