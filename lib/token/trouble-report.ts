import { pairName, refusalsOf, subjectOf } from '../catalogue/catalogue.js';
import type { Profile } from '../config/options/profile.js';
import { remedyOf } from '../errors/troubles.js';
import type { AddressSetting, NamedPair } from '../errors/setting-names.js';
import type { TokenRequestError } from '../errors/token-request.error.js';
import {
  type ProviderStateEvent,
  providerStateChannel,
  type RenewalReason,
} from '../events/provider-auth-events.js';
import { LogThrottle } from '../logging/log-throttle.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { type Connections, hostAndProxyOf } from '../net/proxy.js';
import type { Clock } from '../time/clock.js';

const MINUTE_MS = 60_000;

interface TroubleReportOptions {
  /** Whether the boot asks for a token and goes on without it. */
  readonly isTriedAtBoot?: boolean;
  readonly http?: Connections;
  /** For an account or a scope: what it shares with the others of its pair. */
  readonly sharedThrottle?: ReturnType<typeof sharedThrottles> | undefined;
}

/**
 * One outage fails all accounts of a pair, and unknown names come from outside. So each problem is logged for one account a minute,
 * and for another one later if it still has the problem.
 */
export function sharedThrottles(clock: Clock): (problem: string) => LogThrottle {
  const throttles = new Map<string, LogThrottle>();
  return (problem) => {
    const throttle = throttles.get(problem) ?? new LogThrottle(clock, MINUTE_MS);
    throttles.set(problem, throttle);
    return throttle;
  };
}

/**
 * Logs one line when a provider starts to fail, one for each other cause, and one when it works again. Each line ends with a
 * stable code and with the host that the trouble is about, so that alerts can match it.
 */
export class TroubleReport {
  /** The codes of the failures since the last token. */
  readonly #causes = new Set<string>();
  /** The problems with a line. Without any, the log does not say that they are over. */
  readonly #logged = new LogThrottle();
  readonly #pauseThrottle = new LogThrottle();
  /** With `token.atBoot: 'try'` the failure of the boot is only a warning. The first caller that gets it makes it an error. */
  #isTryingAtBoot: boolean;

  constructor(
    private readonly pair: NamedPair & Pick<Profile, AddressSetting>,
    private readonly logger: Pick<SafeLogger, 'error' | 'warn' | 'log'> = new SafeLogger(),
    private readonly options: TroubleReportOptions = {},
  ) {
    this.#isTryingAtBoot = options.isTriedAtBoot ?? false;
  }

  /**
   * An attempt has timed out, and another follows. Callers with a short time limit give up long before the last attempt ends,
   * and a log without a line would blame the API.
   */
  attemptTimedOut(error: TokenRequestError, reason: RenewalReason): void {
    // While a token is renewed ahead, callers use the token that is still valid.
    const state =
      reason === 'ahead'
        ? `The access token of ${this.#name} is not renewed yet`
        : `No access token for ${this.#name} yet`;
    this.#warn('timed out', error, `${state}: ${error.failure.reason} The request is sent again.`);
  }

  /** A renewal ahead has failed. Callers still get the valid token, so the provider does not count as failing. */
  renewalAheadFailed(error: TokenRequestError, validUntil: Date): void {
    const text = `The access token of ${this.#name} could not be renewed: ${error.failure.reason}`;
    this.#warn(
      'failed ahead',
      error,
      `${text} The current token is valid until ${validUntil.toISOString()}.`,
    );
  }

  failed(error: TokenRequestError): void {
    const level = this.#isTryingAtBoot ? 'warn' : 'error';
    this.#isTryingAtBoot = false;
    if (this.#beginsLine(error.code, level))
      this.logger[level](`${error.message} ${this.#tokenRoute(error)}`);
    if (this.#causes.has(error.code)) return;
    this.#causes.add(error.code);
    // A subscriber may change the date, and this error is the one that is kept.
    this.#publish({ state: 'failing', code: error.code, retryAt: error.retryAt && new Date(error.retryAt) });
  }

  obtained(): void {
    this.#isTryingAtBoot = false;
    const wasFailing = this.#causes.size > 0;
    this.#causes.clear();
    if (this.#logged.ends())
      this.logger.log(
        `Access tokens for ${this.#name} are available again. (TOKENS_RECOVERED, ${this.#tokenHost})`,
      );
    if (wasFailing) this.#publish({ state: 'recovered' });
  }

  /**
   * The API refuses tokens that the token endpoint has just issued.
   *
   * @param hasAccepted whether the API has accepted a token before: then the settings are not wrong.
   */
  renewalsPaused(hasAccepted = false): void {
    if (this.#pauseThrottle.has() || this.options.sharedThrottle?.('paused').recurs() === false) return;
    this.#pauseThrottle.begins();
    this.logger.warn(
      `The API of ${this.#name} refuses tokens that were just obtained. Renewals after a ${refusalsOf(this.pair.terms).join(' or ')} pause, longer each ` +
        `time, until a request succeeds. ${remedyOf(hasAccepted ? 'refused-token-later' : 'refused-token', this.pair, 'baseUrl')} ` +
        `(RENEWALS_PAUSED, ${new URL(this.pair.baseUrl).host})`,
    );
  }

  renewalsResumed(): void {
    if (this.#pauseThrottle.ends())
      this.logger.log(
        `The API of ${this.#name} accepts tokens again. (API_RECOVERED, ${new URL(this.pair.baseUrl).host})`,
      );
  }

  #warn(problem: string, error: TokenRequestError, text: string): void {
    if (this.#causes.size > 0 || !this.#beginsLine(problem)) return;
    const level = this.#isTryingAtBoot ? 'log' : 'warn';
    this.logger[level](`${text} ${error.failure.remedy} ${this.#tokenRoute(error)}`);
  }

  /** Whether to log a line about a problem. Refused credentials are a problem of one account; any other may be a problem of all. */
  #beginsLine(problem: string, level?: 'error' | 'warn'): boolean {
    const line = level === 'warn' ? `${problem} at boot` : problem;
    const shared = problem === 'TOKEN_REJECTED' ? undefined : this.options.sharedThrottle?.(problem);
    const isDue = shared === undefined || (!this.#logged.has(line) && shared.recurs());
    return isDue && this.#logged.begins(line);
  }

  get #name(): string {
    return pairName(this.pair);
  }

  get #tokenHost(): string {
    return hostAndProxyOf(this.pair.tokenUrl, this.options.http ?? {});
  }

  /** The code, the source of the secret or of the account if that is the trouble, and the host of the token endpoint. */
  #tokenRoute({ code, failure }: TokenRequestError): string {
    const source =
      code === 'ACCOUNT_UNKNOWN' ? 'accounts' : failure.unsent === 'secret' && this.pair.names.clientSecret;
    return `(${[code, source, this.#tokenHost].filter(Boolean).join(', ')})`;
  }

  #publish(event: Pick<ProviderStateEvent, 'state' | 'code' | 'retryAt'>): void {
    if (providerStateChannel.hasSubscribers)
      providerStateChannel.publish({ ...subjectOf(this.pair), ...event });
  }
}
