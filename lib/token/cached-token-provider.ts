import type { ProviderEnvironment, ProviderInterface } from '../catalogue/provider-catalogue.js';
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
import { aborted } from './abortable.js';
import { Flight } from './flight.js';
import type { GuardedStore } from './fleet/guarded-store.js';
import { RenewAhead } from './renew-ahead.js';
import { RenewalPause } from './renewal-pause.js';
import { type TokenCallOptions, type TokenStatus, TrackedTokenProvider } from './token-provider.js';
import type { TokenSource } from './token-source.js';
import type { TroubleReport } from './trouble-report.js';

interface Collaborators {
  readonly profile: Pick<Profile, 'interface' | 'environment' | 'active'>;
  readonly settings: Pick<TokenSettings, 'expiryLeewayMs' | 'renewAheadMs'>;
  readonly source: TokenSource;
  readonly report: TroubleReport;
  readonly clock: Clock;
  /** The store that is shared with other processes, where there is one. */
  readonly store?: Pick<GuardedStore, 'isFailing'> | undefined;
}

/** Servers round the life that is left, and requests take their time: by so much a repeated token may seem to live longer. */
const ROUNDING_MS = 2_000;

/** A failure, with its moments by both clocks: the wall clock may be set back while it stands. */
interface Trouble {
  readonly error: TokenRequestError;
  readonly at: Deadline;
  readonly retryAt: Deadline | undefined;
}

/** The token in memory. The promise is kept beside it, so that a warm call creates nothing. */
interface Kept {
  readonly token: AccessToken;
  readonly promise: Promise<AccessToken>;
  readonly leewayMs: number;
  readonly obtainedAt: Date;
}

/**
 * Keeps one token in memory, asks its source for another when it has expired (S8) or was refused (B2), and lets any
 * number of callers share the one request (B1).
 */
export class CachedTokenProvider extends TrackedTokenProvider {
  readonly interface: ProviderInterface;
  readonly environment: ProviderEnvironment;
  readonly active: boolean;
  readonly #deps: Collaborators;
  readonly #pause: RenewalPause;
  readonly #ahead: RenewAhead;
  readonly #closing = new AbortController();
  #kept: Kept | undefined;
  #flight: Flight | undefined;
  /** Refused by the API, and no other token has been obtained since: it is never handed out again. */
  #refused: AccessToken | undefined;
  #trouble: Trouble | undefined;

  constructor(collaborators: Collaborators) {
    super();
    const { profile, settings, clock } = collaborators;
    this.interface = profile.interface;
    this.environment = profile.environment;
    this.active = profile.active;
    this.#deps = collaborators;
    this.#pause = new RenewalPause(clock);
    this.#ahead = new RenewAhead(settings.renewAheadMs, clock, (token) => this.#renewAhead(token));
  }

  getToken(options?: TokenCallOptions): Promise<AccessToken> {
    const signal = options?.signal;
    if (signal?.aborted) return aborted(signal);
    const kept = this.#usable();
    if (kept === undefined) return this.#join(signal);
    this.#used();
    return kept.promise;
  }

  useIfValid(): AccessToken | undefined {
    const kept = this.#usable();
    if (kept !== undefined) this.#used();
    return kept?.token;
  }

  renew(refused: AccessToken, options?: TokenCallOptions): Promise<AccessToken> {
    const signal = options?.signal;
    if (signal?.aborted) return aborted(signal);
    const kept = this.#usable();
    // Token-exact (B2): only the token that was refused is renewed, and only once.
    if (kept === undefined || !isSame(kept.token, refused)) return this.getToken(options);
    if (!this.#mayRenew(kept.token)) return kept.promise;
    this.#refused = kept.token;
    this.#kept = undefined;
    this.#ahead.forget();
    return this.#join(signal);
  }

  reportSuccess(token: AccessToken): void {
    if (!this.#pause.waitsForProof || this.#kept === undefined || !isSame(this.#kept.token, token)) return;
    if (this.#pause.proven()) this.#deps.report.acceptedAgain();
  }

  status(): TokenStatus {
    const { interface: name, environment, active } = this;
    const { clock, store } = this.#deps;
    const kept = this.#kept;
    const trouble = this.#trouble;
    return {
      interface: name,
      environment,
      active,
      state: this.#state(),
      ...(kept && {
        expiresAt: kept.token.expiresAt,
        obtainedAt: kept.obtainedAt,
        fingerprint: kept.token.fingerprint,
      }),
      ...(trouble && {
        lastError: { code: trouble.error.code, message: trouble.error.message, at: trouble.at.dateBy(clock) },
      }),
      ...(trouble?.retryAt && { retryAt: trouble.retryAt.dateBy(clock) }),
      ...(store && { store: store.isFailing ? 'failing' : 'ok' }),
    };
  }

  /** Ends the work that nobody waits for; callers, also later ones, are still served (B9). */
  close(): void {
    this.#ahead.close();
    if (this.#flight === undefined || this.#flight.callers > 0) return;
    // Whoever comes after this starts a request of their own instead of joining one that is being given up.
    this.#flight = undefined;
    this.#closing.abort();
  }

  #state(): TokenStatus['state'] {
    if (this.#usable()) return 'valid';
    if (this.#trouble) return 'failing';
    if (this.#flight) return 'renewing';
    return this.#kept ? 'expired' : 'empty';
  }

  #usable(): Kept | undefined {
    const kept = this.#kept;
    return kept?.token.endsWithin(kept.leewayMs, this.#deps.clock) === false ? kept : undefined;
  }

  #mayRenew(refused: AccessToken): boolean {
    // A request under way brings another token anyway, unless renewals are paused.
    if (this.#flight !== undefined && !this.#pause.isOn) return true;
    const verdict = this.#pause.onRefused(refused);
    if (verdict === 'pausing') this.#deps.report.refusedInVain();
    return verdict === 'renew';
  }

  #join(signal: AbortSignal | undefined): Promise<AccessToken> {
    return (this.#flight ??= this.#fly(this.#reason())).join(signal);
  }

  #reason(): RenewalReason {
    if (this.#refused) return 'unauthorized';
    return this.#kept ? 'expired' : 'cold';
  }

  #fly(reason: RenewalReason): Flight {
    const { clock, source } = this.#deps;
    const signal = reason === 'ahead' ? this.#closing.signal : undefined;
    const promise = source.obtain({ reason, refused: this.#refused, signal }).then(
      (token) => {
        if (this.#land(flight)) this.#keep(token, reason);
        this.#tell(token.cameFromStore ? 'store' : 'miss', flight.callers);
        return token;
      },
      (error: unknown) => {
        if (this.#land(flight)) this.#fail(error);
        this.#tell('miss', flight.callers);
        throw error;
      },
    );
    const flight = new Flight(promise, clock);
    return flight;
  }

  /** Whether what it brought counts: not if it was given up meanwhile. */
  #land(flight: Flight): boolean {
    if (this.#flight !== flight) return false;
    this.#flight = undefined;
    return true;
  }

  #keep(token: AccessToken, reason: RenewalReason): void {
    const { clock, report, settings } = this.#deps;
    // An endpoint that gives the same token until it ends has no other before: asking early would be in vain (S8).
    const isLast = isRepeated(token, this.#kept?.token ?? this.#refused, clock);
    this.#kept = {
      token,
      promise: Promise.resolve(token),
      leewayMs: isLast ? 0 : Math.min(settings.expiryLeewayMs, token.lifetimeMs / 2),
      obtainedAt: new Date(clock.wall()),
    };
    this.#refused = undefined;
    this.#trouble = undefined;
    if (reason === 'unauthorized') this.#pause.renewed(token);
    if (isLast) this.#ahead.forget();
    else this.#ahead.watch(token);
    report.obtained();
  }

  #fail(error: unknown): void {
    // A cool-down repeats one error: what counts is when it happened, not how often it was told.
    if (!(error instanceof TokenRequestError) || error === this.#trouble?.error) return;
    const { clock, report } = this.#deps;
    const at = Deadline.after(clock, 0);
    const retryAt = error.retryAt && at.plus(error.retryAt.getTime() - at.wall);
    this.#trouble = { error, at, retryAt };
    report.failed(error);
  }

  #renewAhead(token: AccessToken): Promise<AccessToken> | undefined {
    if (this.#flight !== undefined || this.#usable()?.token !== token) return undefined;
    this.#flight = this.#fly('ahead');
    return this.#flight.promise;
  }

  #used(): void {
    this.#ahead.used();
    this.#tell('memory');
  }

  #tell(result: TokenCacheEvent['result'], times = 1): void {
    if (!tokenCacheChannel.hasSubscribers) return;
    for (let told = 0; told < times; told += 1) {
      tokenCacheChannel.publish({ interface: this.interface, environment: this.environment, result });
    }
  }
}

/** Most callers report the very object that they were given; comparing values is for tokens rebuilt elsewhere. */
function isSame(one: AccessToken, other: AccessToken): boolean {
  return one === other || one.equals(other);
}

/** Whether a renewal brought the token that it was to replace, with what is left of its life. */
function isRepeated(token: AccessToken, before: AccessToken | undefined, clock: Clock): boolean {
  if (before === undefined || !isSame(token, before)) return false;
  return token.remainingMs(clock) <= before.remainingMs(clock) + ROUNDING_MS;
}
