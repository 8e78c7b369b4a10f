import { isAxiosError } from 'axios';
import { pairName, refusalsOf } from '../catalogue/catalogue.js';
import type { HttpSettings, Profile } from '../config/options/profile.js';
import { errorCode } from '../errors/error-code.js';
import {
  certificateFlaw,
  isMatterOfTrust,
  networkTrouble,
  remedyOf,
  type Trouble,
  troubleBehindProxy,
} from '../errors/troubles.js';
import type { NamedPair } from '../errors/setting-names.js';
import { LogThrottle } from '../logging/log-throttle.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { hostAndProxyOf, proxyErrorIn, proxySettingNames, proxySettingsFor } from '../net/proxy.js';
import { type Clock, Deadline } from '../time/clock.js';

/** Why no request to an API succeeds. */
export interface ApiError {
  /** `API_UNREACHABLE`, `RENEWALS_PAUSED` or `API_FAILING`, as in the log. */
  code: string;
  /** What happened, and how to fix it. */
  message: string;
  /** When the last request failed this way. */
  at: Date;
}

/** One of several servers of an API may fail now and then. */
const LOGGED_EVERY_MS = 60_000;

/**
 * One timeout, one refused token or one 404 may be chance, or be about this one request. So many, over such a time, are not: any
 * response ends a row of timeouts, only an accepted token ends a row of refusals, and a refusal ends a row of failures, too.
 */
const NO_CHANCE = {
  unanswered: { requests: 5, ms: 10_000 },
  refused: { requests: 5, ms: 10_000 },
  failing: { requests: 20, ms: 30_000 },
};

type Streak = keyof typeof NO_CHANCE;

/** Problems that may be chance. One call must not make the health check fail. Every other known problem shows in one request. */
const MAYBE_CHANCE: ReadonlySet<Trouble> = new Set([
  'unanswered',
  'no-connection',
  'broken-off',
  'proxy-refusal',
]);

/** A caller may choose a shorter `timeout` than `http.timeoutMs`. If it is shorter than this, the caller ends its own call. */
const FAIR_TIMEOUT_MS = 5_000;

/** The response does not begin as HTTP does. Other codes of this family are about one response, such as too large headers. */
const NO_HTTP_AT_ALL = 'HPE_INVALID_CONSTANT';

/**
 * Reports that no request to the API of a pair can succeed: to the caller, in the log and in the status. Without this
 * report, a wrong base URL would look like an error of the network or of the caller.
 */
export class ApiReport {
  #error: (Omit<ApiError, 'at'> & { readonly at: Deadline }) | undefined;
  readonly #throttle: LogThrottle;
  /** The requests that ended like this, and the moment from which they are no chance. */
  readonly #streaks = new Map<Streak, { requests: number; readonly countsFrom: Deadline }>();
  readonly #refusedWith: readonly number[];
  /** Statuses below 500 that say that the API fails, if all requests get them. */
  readonly #failures: readonly number[];

  constructor(
    private readonly profile: NamedPair & Pick<Profile, 'baseUrl'>,
    private readonly http: Pick<HttpSettings, 'httpsAgent' | 'proxy' | 'timeoutMs'>,
    private readonly clock: Clock,
    private readonly logger: Pick<SafeLogger, 'error' | 'warn' | 'log'> = new SafeLogger(),
  ) {
    this.#refusedWith = refusalsOf(profile.terms);
    this.#failures = [401, 403, 404].filter((status) => !this.#refusedWith.includes(status));
    this.#throttle = new LogThrottle(clock, LOGGED_EVERY_MS);
  }

  /** Undefined if requests succeed, as far as this process knows. */
  get error(): ApiError | undefined {
    // By both clocks: a wall clock that is set back must not prolong the time for which health counts the failure (S11).
    return this.#error && { ...this.#error, at: this.#error.at.dateBy(this.clock) };
  }

  /**
   * @param isOfPair what the API makes of the token of one account says nothing about the token of the pair, but shows that the API
   * can be reached, and if it accepts that token, that it works.
   */
  answered(status: number, isOfPair = true): void {
    this.#streaks.delete('unanswered');
    if (this.#error?.code === 'API_UNREACHABLE') this.#recovered();
    // `refused` counts what a 401, or another status of `refusedWith`, says about the token. Many gateways send a 429 before
    // they look at the token. None of these shows that the API works again.
    if (status === 429 || this.#refusedWith.includes(status)) {
      if (isOfPair) this.#streaks.delete('failing');
    } else if (status >= 500 || this.#failures.includes(status)) {
      if (isOfPair && this.#lasts('failing')) this.#failing(status);
    } else if (isOfPair) {
      this.#streaks.clear();
      this.#recovered();
    } else {
      this.#streaks.delete('failing');
      if (this.#error?.code === 'API_FAILING') this.#recovered();
    }
  }

  #recovered(): void {
    if (this.#error === undefined) return;
    const { code } = this.#error;
    this.#error = undefined;
    if (!this.#throttle.ends()) return;
    const again = code === 'API_UNREACHABLE' ? 'can be reached again' : 'works again';
    this.logger.log(`The API of ${this.#name} ${again}. (API_RECOVERED, ${this.#host})`);
  }

  /** The API answers, but with errors only. That is no reason for health to be down: another instance would get the same. */
  #failing(status: number): void {
    const trouble = status >= 500 ? 'server-trouble' : status === 404 ? 'not-found' : 'forbidden';
    const message =
      `The API of ${this.#name} answers each request with ${this.#failures.join(', ')} or 5xx, the last one with ${status}. ` +
      remedyOf(trouble, this.profile, 'baseUrl');
    this.#fail('API_FAILING', message, 'warn');
  }

  /** @param level undefined for what is not logged yet. */
  #fail(code: string, message: string, level?: 'error' | 'warn'): void {
    this.#error = { code, message, at: Deadline.after(this.clock, 0) };
    if (level && this.#throttle.begins(code)) this.logger[level](`${message} (${code}, ${this.#host})`);
  }

  /**
   * The error of the caller gets advice, if the problem is one that lasts, or if a proxy refused: only advice says what to do then.
   *
   * @param timeoutMs the time limit of the call, if the call ended at this limit.
   */
  unanswered(error: unknown, timeoutMs?: number): void {
    const code = errorCode(error);
    const ofProxy = proxyErrorIn(error);
    // An agent may not show that it has a proxy.
    const proxy = ofProxy ? proxySettingNames(this.http) : proxySettingsFor(this.profile.baseUrl, this.http);
    const ofError = isCutShort(error) ? 'broken-off' : networkTrouble(code);
    const ofNetwork = timeoutMs === undefined ? ofError : 'unanswered';
    const ofRefusal = ofProxy?.proxyStatus === undefined ? 'proxy' : 'proxy-refusal';
    const trouble = ofProxy ? ofRefusal : troubleBehindProxy(ofNetwork, proxy !== undefined);
    const isOfOneAnswer = code?.startsWith('HPE_') && code !== NO_HTTP_AT_ALL;
    if (trouble === 'unreachable' || isOfOneAnswer) return;
    if (timeoutMs !== undefined && timeoutMs < Math.min(FAIR_TIMEOUT_MS, this.http.timeoutMs || Infinity))
      return;
    // A proxy that demands credentials demands them of every request.
    const mayBeChance = MAYBE_CHANCE.has(trouble) && ofProxy?.proxyStatus !== 407;
    const isChance = !this.#lasts('unanswered') && mayBeChance;
    const remedy = remedyOf(trouble, this.profile, 'baseUrl', proxy);
    if (ofProxy || !isChance) explain(error, remedy);
    if (isChance) return;
    const what = unansweredBecause(trouble, ofProxy?.proxyStatus);
    this.#fail(
      'API_UNREACHABLE',
      `No response from the API of ${this.#name}: ${what} (${code}). ${remedy}`,
      'error',
    );
  }

  /**
   * The API refused a token that a renewal has just brought, so another token does not help.
   *
   * @param hasWorked whether the API has accepted a token of the pair before.
   */
  refused(error: unknown, hasWorked: boolean): void {
    const trouble = hasWorked ? 'refused-token-later' : 'refused-token';
    const remedy = remedyOf(trouble, this.profile, 'baseUrl');
    const message = `The API of ${this.#name} refuses tokens that were just obtained. ${remedy}`;
    explain(error, message);
    const level = this.#lasts('refused') ? 'error' : undefined;
    // After a success, a 401 may be about this one request: a caller must not be able to make the health check fail.
    if (level || !hasWorked) this.#fail('RENEWALS_PAUSED', message, level);
  }

  /** Whether that is no chance any more. */
  #lasts(of: Streak): boolean {
    const limit = NO_CHANCE[of];
    const streak = this.#streaks.get(of) ?? {
      requests: 0,
      countsFrom: Deadline.after(this.clock, limit.ms),
    };
    this.#streaks.set(of, streak);
    streak.requests += 1;
    return streak.requests >= limit.requests && streak.countsFrom.hasCome(this.clock);
  }

  get #name(): string {
    return pairName(this.profile);
  }

  get #host(): string {
    return hostAndProxyOf(this.profile.baseUrl, this.http);
  }
}

function unansweredBecause(trouble: Trouble, proxyStatus: number | undefined): string {
  if (proxyStatus !== undefined) return `the proxy refused the connection with status ${proxyStatus}`;
  if (MAYBE_CHANCE.has(trouble)) return 'no request gets a complete response any more';
  if (isMatterOfTrust(trouble)) return `the API's certificate ${certificateFlaw(undefined, trouble)}`;
  return 'the API could not be reached';
}

/** Whether the connection ended in the body of a response. axios then gives this code, or that of Node if the body is compressed. */
export function isCutShort(error: unknown): boolean {
  const code = errorCode(error);
  return (
    isAxiosError(error) &&
    error.response !== undefined &&
    (code === 'ERR_BAD_RESPONSE' || code === 'ECONNRESET')
  );
}

/** Adds advice to the message of axios. Most loggers print the stack, which begins with the message. */
export function explain(error: unknown, advice: string): void {
  // An adapter of the caller may reject with the same error again.
  if (!isAxiosError(error) || error.message.includes(advice)) return;
  const { message, stack } = error;
  if (message === error.config?.timeoutErrorMessage) return;
  const explained = `${message.replace(/\.$/, '')}. ${advice}`;
  Reflect.set(error, 'message', explained);
  if (stack !== undefined)
    Reflect.set(
      error,
      'stack',
      stack.replace(`: ${message}`, () => `: ${explained}`),
    );
}
