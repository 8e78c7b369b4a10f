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
import type { Clock } from '../time/clock.js';
import { Deadline } from '../time/deadline.js';
import { aborted } from '../values/abortable.js';
import { Flight } from './flight.js';
import type { GuardedStore } from './fleet/guarded-store.js';
import { IdentifiedTokens, type TokenBook } from './identified-tokens.js';
import { RenewAhead } from './renew-ahead.js';
import { RenewalPause } from './renewal-pause.js';
import {
  type TokenCallOptions,
  type TokenProvider,
  type TokenStatus,
  TrackedTokenProvider,
} from './token-provider.js';
import { TokenIdentity, type TokenTarget } from './token-identity.js';
import type { TokenNeed, TokenSource, Whole } from './token-source.js';
import type { TroubleReport } from './trouble-report.js';

export interface CachedTokenProviderParts {
  readonly profile: Pick<Profile, 'provider' | 'interface' | 'environment' | 'active' | 'account'> &
    Partial<Pick<Profile, 'credential' | 'tls'>>;
  readonly settings: Pick<TokenSettings, 'expiryLeewayMs' | 'renewAheadMs'>;
  readonly source: TokenSource;
  readonly report: TroubleReport;
  readonly clock: Clock;
  /** The store that several processes share, if the application has configured a store. */
  readonly store?: Pick<GuardedStore, 'isFailing' | 'asked'> | undefined;
  /** The tokens of accounts and scopes. */
  readonly book?: TokenBook<CachedTokenProvider> | undefined;
  /**
   * Of the token of an account or a scope: is called when a request has ended. There may be many, so they do no work in the
   * background (B33).
   */
  readonly onIdle?: (() => void) | undefined;
  /** Why there can be no such token. Each caller gets a separate error (B28). */
  readonly refusal?: (() => Error) | undefined;
}

/** Servers round the remaining life, and requests take time. So a repeated token may seem to live this much longer. */
const ROUNDING_MS = 2_000;

/** A pair that is not active is in use for this time after its last call (B35). */
const IN_USE_MS = 10 * 60_000;

/** The last failure, with its moments by both clocks: the wall clock may be set back while callers still get this error. */
interface LastFailure {
  readonly error: TokenRequestError;
  readonly at: Deadline;
  readonly retryAt: Deadline | undefined;
}

/** How a caller waits for a request under way. */
type Join = (flight: Flight) => Promise<AccessToken>;

/** The token in memory. */
interface CachedToken {
  readonly token: AccessToken;
  readonly leewayMs: number;
  readonly obtainedAt: Deadline;
  /** The version of the certificate that it may be bound to. */
  readonly boundTo: symbol | undefined;
  /** Only the first use matters to the renewal ahead. A warm call has one file less to run (B30). */
  wasUsed: boolean;
}

/**
 * Keeps one token in memory. Asks its source for another token when the token has expired (S8) or was refused (B2). Any
 * number of callers share this request (B1).
 */
export class CachedTokenProvider extends TrackedTokenProvider {
  readonly interface: string;
  readonly environment: string;
  readonly active: boolean;
  readonly #deps: CachedTokenProviderParts;
  /** A token may be bound to the certificate that proves who the client is (RFC 8705 section 3). */
  readonly #certificate: Profile['tls'];
  /** From the first renewal after a 401 on. */
  #pause: RenewalPause | undefined;
  readonly #ahead: RenewAhead | undefined;
  /** Ends the request under way. */
  #ending = new AbortController();
  #cached: CachedToken | undefined;
  #flight: Flight | undefined;
  /** The API refused this token, and no other token has been obtained since. No caller gets this token again. */
  #refused: AccessToken | undefined;
  #lastFailure: LastFailure | undefined;
  #hasWorked = false;
  #closed = false;
  /** Only of a pair that is not active. */
  #usedAt = -Infinity;

  constructor(parts: CachedTokenProviderParts) {
    super();
    const { profile, settings, clock, onIdle } = parts;
    this.interface = profile.interface;
    this.environment = profile.environment;
    this.active = profile.active;
    this.#deps = parts;
    this.#certificate = profile.credential === 'certificate' ? profile.tls : undefined;
    this.#ahead = onIdle
      ? undefined
      : new RenewAhead(settings.renewAheadMs, clock, (token) => this.#startInBackground(token));
  }

  getToken(options?: TokenCallOptions): Promise<AccessToken> {
    const signal = options?.signal;
    if (signal?.aborted) return aborted(signal);
    return this.#obtain((flight) => flight.join(signal));
  }

  useIfValid(): AccessToken | undefined {
    const valid = this.#validToken();
    this.#markUsed();
    if (valid === undefined) return undefined;
    if (!valid.wasUsed) {
      valid.wasUsed = true;
      this.#ahead?.used();
    }
    this.#publishCacheEvent('memory');
    return valid.token;
  }

  renew(refused: AccessToken, options?: TokenCallOptions): Promise<AccessToken> {
    const signal = options?.signal;
    if (signal?.aborted) return aborted(signal);
    return this.#renew(refused, (flight) => flight.join(signal));
  }

  renewForNextCall(refused: AccessToken): void {
    if (!this.#closed) this.#renew(refused, ({ promise }) => promise).catch(() => undefined);
  }

  #renew(refused: AccessToken, join: Join): Promise<AccessToken> {
    const valid = this.#validToken();
    // A provider that was made again for an account does not know what it gave before, and a store may still have it (B33).
    if (this.#cached === undefined) this.#refused ??= refused;
    // Token-exact (B2): only the token that was refused is renewed, and only once.
    if (valid === undefined || !valid.token.equals(refused)) {
      // A request that began before this refusal may take the refused token from the store.
      const joined = this.#obtain(join).then((token) =>
        token.cameFromStore && token.equals(refused) ? this.#renew(refused, join) : token,
      );
      // A caller may ignore its promise.
      joined.catch(() => undefined);
      return joined;
    }
    // The request under way brings another token anyway, unless renewals are paused.
    if (this.#flight === undefined || this.#pause?.isOn) {
      // If renewals turn out to be useless, this starts a pause and logs a warning (B3).
      const verdict = this.#pause?.onRefused(valid.token);
      this.#reportPause();
      if (verdict === 'keep') return Promise.resolve(valid.token);
    }
    this.#refused = valid.token;
    this.#cached = undefined;
    this.#ahead?.forget();
    return this.#fetch(join);
  }

  reportSuccess(token: AccessToken, isSentOnce = false): void {
    this.#hasWorked = true;
    const pause = this.#pause;
    if (pause === undefined) return;
    if (isSentOnce && pause.isUntested(token)) pause.helped();
    if (!pause.awaitsSuccess || !this.#cached?.token.equals(token)) return;
    pause.markWorking();
    this.#deps.report.renewalsResumed();
  }

  reportHelp(): void {
    this.#pause?.helped();
  }

  reportRefusal(token: AccessToken): void {
    this.#pause?.refused(token);
  }

  pauseRenewals(refused: AccessToken): boolean {
    const current = this.#validToken()?.token;
    // As in `renew`: another token is there, or is on its way.
    if (!current?.equals(refused) || (this.#flight && !this.#pause?.isOn)) return false;
    const isKept = this.#pause?.startAfter(current) === true;
    this.#reportPause();
    return isKept;
  }

  for(target: TokenTarget): TokenProvider<string, string> {
    const identity = TokenIdentity.of(target);
    return identity === undefined ? this : new IdentifiedTokens(this, identity);
  }

  of(identity: TokenIdentity | undefined, isUse = true): TrackedTokenProvider {
    if (identity === undefined) return this;
    if (this.#deps.book === undefined) throw new TypeError('These are the tokens of one account already.');
    // Its API is in use, whichever token a call has.
    if (isUse) this.#markUsed();
    const tokens = this.#deps.book.of(identity, isUse);
    if (this.#closed) tokens.close();
    return tokens;
  }

  /** Whether a request is under way. */
  get isBusy(): boolean {
    return this.#flight !== undefined;
  }

  get hasWorked(): boolean {
    return this.#hasWorked;
  }

  get isInUse(): boolean {
    return this.active || this.#deps.clock.monotonic() - this.#usedAt < IN_USE_MS;
  }

  status(): TokenStatus<string, string> {
    const { interface: name, environment, active, state } = this;
    const { clock, store } = this.#deps;
    const accounts = this.#deps.book?.counts;
    const cached = this.#cached;
    const failure = this.#lastFailure;
    // An unused pair has its failure to itself, and costs no more requests.
    if (state === 'failing' && this.isInUse) this.#ahead?.asked(failure?.retryAt);
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
      }),
      ...(failure?.retryAt && { retryAt: failure.retryAt.dateBy(clock) }),
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
    this.#ahead?.close();
    for (const one of this.#deps.book?.providers ?? []) one.close();
    this.#endIfLeft();
  }

  #endIfLeft(): void {
    if (!this.#closed || this.#flight === undefined || this.#flight.isAwaited) return;
    // This request ends now. A later caller must start a new request instead of joining this one.
    this.#flight = undefined;
    this.#ending.abort();
  }

  get state(): TokenStatus['state'] {
    if (this.#validToken()) return 'valid';
    if (this.#lastFailure) return 'failing';
    if (this.#flight) return 'renewing';
    return this.#cached ? 'expired' : 'empty';
  }

  #markUsed(): void {
    if (!this.active) this.#usedAt = this.#deps.clock.monotonic();
  }

  #validToken(): CachedToken | undefined {
    const cached = this.#cached;
    if (cached?.token.endsWithin(cached.leewayMs, this.#deps.clock) !== false) return undefined;
    return cached.boundTo === this.#certificate?.version ? cached : undefined;
  }

  #reportPause(): void {
    if (this.#pause?.isOn) this.#deps.report.renewalsPaused(this.#hasWorked);
  }

  #obtain(join: Join): Promise<AccessToken> {
    const valid = this.useIfValid();
    return valid === undefined ? this.#fetch(join) : Promise.resolve(valid);
  }

  #fetch(join: Join): Promise<AccessToken> {
    const { refusal } = this.#deps;
    if (refusal) return Promise.reject(refusal());
    const reason = this.#refused ? 'unauthorized' : this.#cached ? 'expired' : 'cold';
    return join((this.#flight ??= this.#startFetch(reason)));
  }

  #startFetch(reason: RenewalReason): Flight {
    const { clock, onIdle, source } = this.#deps;
    const versionBefore = this.#certificate?.version;
    this.#ending = new AbortController();
    const need: Whole<TokenNeed> = {
      reason,
      refused: this.#refused,
      secret: undefined,
      signal: this.#ending.signal,
      place: undefined,
      ends: undefined,
      onSent: undefined,
    };
    const promise = source.obtain(need).then(
      (token) => {
        if (this.#finish(flight))
          this.#store(token, need.refused, this.#certificate && (token.tlsVersion ?? versionBefore));
        // Without a gap, in which the book of accounts would take this for an account that never had a token.
        onIdle?.();
        this.#publishCacheEvent(token.cameFromStore ? 'store' : 'miss', flight.callers);
        return token;
      },
      async (error: unknown) => {
        // A caller may try again and again. In a cool-down no I/O would happen in between, and no timer of the process would run (B13).
        if (error === this.#lastFailure?.error) await setImmediate();
        if (this.#finish(flight)) this.#recordFailure(error);
        onIdle?.();
        this.#publishCacheEvent('miss', flight.callers);
        throw error;
      },
    );
    const flight = new Flight(promise, clock, () => this.#endIfLeft());
    return flight;
  }

  /** Returns whether the result of this request counts. After `close()` a request that no caller waits for does not. */
  #finish(flight: Flight): boolean {
    if (this.#flight !== flight) return false;
    this.#flight = undefined;
    return true;
  }

  /** @param refused the token that the API refused, if the renewal was about one. */
  #store(token: AccessToken, refused: AccessToken | undefined, boundTo: symbol | undefined): void {
    const { clock, report, settings } = this.#deps;
    // Some endpoints return the same token until it expires. Then a request before its end is useless (S8).
    const isRepeated = isSameLife(token, this.#cached?.token ?? this.#refused, clock);
    const leewayMs = isRepeated ? 0 : token.leewayOf(settings.expiryLeewayMs);
    const obtainedAt = Deadline.after(clock, 0);
    this.#cached = { token, leewayMs, obtainedAt, boundTo, wasUsed: false };
    this.#refused = undefined;
    this.#lastFailure = undefined;
    if (refused) (this.#pause ??= new RenewalPause(clock)).renewed(token);
    if (isRepeated) this.#ahead?.forget();
    else this.#ahead?.watch(token, leewayMs);
    report.obtained();
  }

  #recordFailure(error: unknown): void {
    if (!(error instanceof TokenRequestError)) return;
    const { clock, report } = this.#deps;
    // A cool-down repeats one error object. This error counts from the moment when it happened, not from each repetition.
    const last = this.#lastFailure;
    if (error !== last?.error) {
      const now = Deadline.after(clock, 0);
      const retryAt = error.retryAt && now.plus(error.retryAt.getTime() - now.wall);
      // The note of another process only prolongs a failure: its error is a copy.
      const at = error.failure === last?.error.failure ? last.at : now;
      this.#lastFailure = { error, at, retryAt };
    }
    const valid = this.#validToken();
    if (valid) report.renewalAheadFailed(error, valid.token.expiresBy(clock));
    else report.failed(error);
  }

  #startInBackground(token: AccessToken | undefined): Promise<AccessToken> | undefined {
    if (this.#flight !== undefined || this.#validToken()?.token !== token) return undefined;
    this.#flight = this.#startFetch('ahead');
    return this.#flight.promise;
  }

  #publishCacheEvent(result: TokenCacheEvent['result'], callers = 1): void {
    if (!tokenCacheChannel.hasSubscribers) return;
    const { profile } = this.#deps;
    for (let published = 0; published < callers; published += 1) {
      tokenCacheChannel.publish({ ...subjectOf(profile), result });
    }
  }
}

/** Whether a renewal brought the token that it had to replace, with the remaining part of its life. */
function isSameLife(token: AccessToken, before: AccessToken | undefined, clock: Clock): boolean {
  if (before === undefined || !token.equals(before)) return false;
  return token.remainingMs(clock) <= before.remainingMs(clock) + ROUNDING_MS;
}
