import { isAxiosError } from 'axios';
import { pairName } from '../catalogue/catalogue.js';
import type { HttpSettings, Profile } from '../config/options/profile.js';
import { errorCode } from '../errors/error-code.js';
import { isMatterOfTrust, networkTrouble, troubleBehindProxy } from '../errors/network-trouble.js';
import { remedyOf, type Trouble } from '../errors/remedies.js';
import { LogThrottle } from '../logging/log-throttle.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { hostAndProxyOf } from '../net/proxy-host.js';
import { proxySettingsFor } from '../net/proxy-settings.js';
import type { Clock } from '../time/clock.js';
import { Deadline } from '../time/deadline.js';

/** Why no request to an API can succeed. */
export interface ApiError {
  /** `API_UNREACHABLE` or `RENEWALS_PAUSED`, as in the log. */
  code: string;
  /** What happened, and how to fix it. */
  message: string;
  /** When the last request failed like this. */
  at: Date;
}

type ReportedProfile = Pick<Profile, 'provider' | 'interface' | 'environment' | 'names' | 'baseUrl'>;

/** One of several servers of an API may fail now and then. */
const LOGGED_EVERY_MS = 60_000;

type ReportedHttp = Pick<HttpSettings, 'httpsAgent' | 'proxy' | 'timeoutMs'>;

/** Problems of the connection that last: a single request shows them. */
const LASTING: ReadonlySet<Trouble> = new Set([
  'client-certificate',
  'refused-client-certificate',
  'unknown-host',
  'name-server',
  'refused-connection',
  'no-route',
  'proxy',
  'no-tls',
  'http2-only',
  'no-http',
]);

/** One timeout or one reset may be chance. So many in a row, over such a time, with no response in between, are not. */
const NO_CHANCE = { requests: 5, ms: 10_000 };

/** Problems that may be chance. One call must not make the health check fail. */
const MAYBE_CHANCE: ReadonlySet<Trouble> = new Set([
  'unanswered',
  'unanswered-by-proxy',
  'no-connection',
  'broken-off',
]);

/** A caller may choose a shorter `timeout` than `http.timeoutMs`. If it is shorter than this, the caller ends its own call. */
const FAIR_TIMEOUT_MS = 5_000;

/** The response does not begin as HTTP does. Other codes of this family are about one response, such as too large headers. */
const NO_HTTP_AT_ALL = 'HPE_INVALID_CONSTANT';

/**
 * Reports that no request to the API of a pair can succeed: to the caller, in the log and in the status (B29). Without this
 * report, a wrong base URL would look like an error of the network or of the caller.
 */
export class ApiReport {
  readonly #profile: ReportedProfile;
  readonly #http: ReportedHttp;
  readonly #clock: Clock;
  readonly #logger: Pick<SafeLogger, 'error' | 'log'>;
  #error: (Omit<ApiError, 'at'> & { readonly at: Deadline }) | undefined;
  readonly #throttle: LogThrottle;
  /** The requests in a row that got no response, and the moment from which they are no chance. */
  #unanswered: { requests: number; readonly countsFrom: Deadline } | undefined;
  #hasAccepted = false;

  constructor(
    profile: ReportedProfile,
    http: ReportedHttp,
    clock: Clock,
    logger: Pick<SafeLogger, 'error' | 'log'> = new SafeLogger(),
  ) {
    this.#profile = profile;
    this.#http = http;
    this.#clock = clock;
    this.#logger = logger;
    this.#throttle = new LogThrottle(clock, LOGGED_EVERY_MS);
  }

  /** Undefined if requests succeed, as far as this process knows. */
  get error(): ApiError | undefined {
    // By both clocks: a wall clock that is set back must not prolong the time for which health counts the failure (S11).
    return this.#error && { ...this.#error, at: this.#error.at.dateBy(this.#clock) };
  }

  /** Whether the API has accepted a token since the start of the process. */
  get hasAccepted(): boolean {
    return this.#hasAccepted;
  }

  /** The API gave a response with this status to a request with a token. */
  answered(status: number): void {
    this.#unanswered = undefined;
    // A 304 answers a conditional request whose token was accepted.
    if ((status >= 200 && status < 300) || status === 304) this.#hasAccepted = true;
    if (this.#error === undefined || (status === 401 && this.#error.code === 'RENEWALS_PAUSED')) return;
    this.#error = undefined;
    if (this.#throttle.ends()) this.#logger.log(`The API of ${this.#name} can be reached again.`);
  }

  /**
   * A request got no response. The error of the caller gets the advice, if the problem is one that lasts.
   *
   * @param timeoutMs the time limit of the call, if the call ended at this limit.
   */
  unanswered(error: unknown, timeoutMs?: number): void {
    const code = errorCode(error);
    const { baseUrl } = this.#profile;
    const proxy = proxySettingsFor(baseUrl, this.#http);
    const found = timeoutMs === undefined ? networkTrouble(code) : 'unanswered';
    const trouble = proxy === undefined ? found : troubleBehindProxy(found);
    const isUntrusted = isMatterOfTrust(trouble);
    const mayBeChance = MAYBE_CHANCE.has(trouble);
    if (!isUntrusted && !mayBeChance && !LASTING.has(trouble)) return;
    if (trouble === 'no-http' && code !== NO_HTTP_AT_ALL) return;
    if (timeoutMs !== undefined && timeoutMs < Math.min(FAIR_TIMEOUT_MS, this.#http.timeoutMs || Infinity))
      return;
    const isLasting = this.#countUnanswered();
    if (mayBeChance && !isLasting) return;
    const remedy = remedyOf(trouble, this.#profile, 'baseUrl', proxy);
    explain(error, remedy);
    let what = isUntrusted ? "the API's certificate is not trusted" : 'the API could not be reached';
    if (mayBeChance) what = 'no request gets a complete response any more';
    const message = `No response from the API of ${this.#name}: ${what} (${code}). ${remedy}`;
    this.#error = { code: 'API_UNREACHABLE', message, at: Deadline.after(this.#clock, 0) };
    if (this.#throttle.begins())
      this.#logger.error(`${message} (API_UNREACHABLE, ${hostAndProxyOf(baseUrl, this.#http)})`);
  }

  /** The API refused a token that a renewal has just brought, so another token does not help (B3). */
  refused(error: unknown): void {
    const remedy = remedyOf('refused-token', this.#profile, 'baseUrl');
    const message = `The API of ${this.#name} refuses tokens that were just obtained. ${remedy}`;
    explain(error, message);
    // Later, a 401 may be about this one request: a caller must not be able to make the health check fail.
    if (this.#hasAccepted) return;
    this.#error = { code: 'RENEWALS_PAUSED', message, at: Deadline.after(this.#clock, 0) };
  }

  /** Counts a request. Returns whether the API does not answer any more. */
  #countUnanswered(): boolean {
    this.#unanswered ??= { requests: 0, countsFrom: Deadline.after(this.#clock, NO_CHANCE.ms) };
    this.#unanswered.requests += 1;
    return (
      this.#unanswered.requests >= NO_CHANCE.requests && this.#unanswered.countsFrom.hasCome(this.#clock)
    );
  }

  get #name(): string {
    return pairName(this.#profile);
  }
}

/**
 * Adds advice to the message of axios. The caller still gets the error of axios, with its class and its code. Most loggers
 * print the stack, which begins with the message.
 */
function explain(error: unknown, advice: string): void {
  // An adapter of the caller may reject with the same error again.
  if (!isAxiosError(error) || error.message.includes(advice)) return;
  const { message, stack } = error;
  if (message === error.config?.timeoutErrorMessage) return;
  const explained = `${message}. ${advice}`;
  Reflect.set(error, 'message', explained);
  if (stack !== undefined)
    Reflect.set(
      error,
      'stack',
      stack.replace(`: ${message}`, () => `: ${explained}`),
    );
}
