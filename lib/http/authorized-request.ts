import { type AxiosResponse, type InternalAxiosRequestConfig, isAxiosError } from 'axios';
import { pairName, refusalsOf, subjectOf } from '../catalogue/catalogue.js';
import type { HttpSettings } from '../config/options/profile.js';
import { isForOldCertificates } from '../errors/changed-certificates.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import { type HttpUnauthorizedEvent, httpUnauthorizedChannel } from '../events/provider-auth-events.js';
import { LogThrottle } from '../logging/log-throttle.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { proxySettingsFor } from '../net/proxy.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';
import type { ClientTls } from '../net/client-tls.js';
import type { TrackedTokenProvider } from '../token/token-provider.js';
import { isPolluted } from '../values/is-object.js';
import type { AdapterTraits } from './adapter/adapter-traits.js';
import type { WithheldAgents } from './adapter/connection.js';
import { isBodyError, isReplayable } from './adapter/request-body.js';
import { type ApiReport, explain, isCutShort } from './api-report.js';
import { AdapterPlan, type AttemptSettings } from './adapter-plan.js';
import { Attempt, DirectPlan, type Plan } from './attempt.js';
import { Call, type ResultStyle } from './call.js';
import { deliver, discard, type Outcome } from './outcome.js';

export interface AuthorizedRequestSettings extends AttemptSettings {
  readonly http: Pick<HttpSettings, 'retryUnauthorized' | 'proxy'>;
  readonly tokens: TrackedTokenProvider;
  readonly clock: Clock;
  /** The doctor has no log and no status, so it has no report. */
  readonly api?: ApiReport | undefined;
}

const HOUR_MS = 3_600_000;

/** Ends the message of a 401 that the caller gets without a second attempt (B29). With `retryUnauthorized: false`, callers expect that. */
const NOT_SENT_AGAIN = {
  body: 'It was not sent again, because its body can be read only once. The token is renewed for the next call.',
  redirect:
    'It was not sent again, because the API had already answered it with a redirect. The token is renewed for the next call.',
  renewal: 'It was not sent again, because the token could not be renewed.',
  pause:
    'It was not sent again, because the API refused renewed tokens too, and renewals after a refusal are paused.',
} as const;

/** A gateway may answer with these before any check of the token. */
const SAYS_NOTHING_OF_TOKEN = new Set([408, 425, 429, 502, 503, 504]);

const WHILE_READING = ' while reading changed certificates';

interface OpenCalls {
  open: number;
  onLastEnd: (() => void) | undefined;
}

/**
 * Sends a request with a token, and decides about a 401, or another status with which the API refuses a token (B31). It runs
 * in place of the adapter: the caller's interceptors see one request and one response, and no object of the caller ever holds
 * the token.
 */
export class AuthorizedRequest {
  readonly #deps: AuthorizedRequestSettings;
  readonly #scheme: string | undefined;
  readonly #refusedWith: readonly number[];
  readonly #bodyWarnings: LogThrottle;
  readonly #logger = new SafeLogger();
  #calls: OpenCalls = { open: 0, onLastEnd: undefined };

  constructor(settings: AuthorizedRequestSettings) {
    this.#deps = settings;
    const { profile, clock } = settings;
    this.#scheme = profile.terms?.scheme;
    this.#refusedWith = refusalsOf(profile.terms);
    this.#bodyWarnings = new LogThrottle(clock, HOUR_MS);
  }

  /**
   * @param agents see `takeAgents`.
   * @param style as axios gives the result, if you omit it.
   */
  send(
    config: InternalAxiosRequestConfig,
    traits: AdapterTraits,
    agents?: WithheldAgents,
    style?: ResultStyle,
  ): Promise<AxiosResponse> {
    return this.#send(new Call(config, traits, this.#deps.clock, agents, style), false);
  }

  /** Sends the configs of direct calls (B16), which are checked again only after a wait. */
  directly(traits: AdapterTraits): (config: InternalAxiosRequestConfig) => Promise<AxiosResponse> {
    return (config) => this.#send(new Call(config, traits, this.#deps.clock), true);
  }

  /** Resolves when the calls have ended that are under way now: an application may go on calling while it closes. */
  async ended(): Promise<void> {
    const calls = this.#calls;
    this.#calls = { open: 0, onLastEnd: undefined };
    if (calls.open > 0) await new Promise<void>((resolve) => (calls.onLastEnd = resolve));
  }

  #createAttempt(call: Call, isDirect: boolean): Attempt {
    return new Attempt(call, this.#createPlan(call, isDirect), this.#scheme);
  }

  /** Checks the address, and throws if the request must not be sent (S6). */
  #createPlan(call: Call, isDirect: boolean): Plan {
    const { config, traits } = call;
    const { base } = this.#deps;
    const { directSender } = traits;
    const mayBeDirect = directSender !== undefined && !call.hasAgents && !isPolluted();
    if (mayBeDirect && (isDirect || call.style.isDirect(config))) {
      const plan = DirectPlan.of(directSender, call, base.resolve(config));
      if (plan) return plan;
    }
    return new AdapterPlan(this.#deps, call);
  }

  async #send(call: Call, isDirect: boolean): Promise<AxiosResponse> {
    let attempt: Attempt | undefined;
    const calls = this.#calls;
    calls.open += 1;
    this.#deps.tls?.look();
    try {
      attempt = this.#createAttempt(call, isDirect);
      let token = attempt.plan.hasOwnCredentials ? undefined : this.#tokensOf(call).useIfValid();
      if (token === undefined && !attempt.plan.hasOwnCredentials) {
        token = await this.#waitForToken(call);
        // The application may have changed the config, and the process its environment: a new copy, checked again.
        attempt = this.#createAttempt(call, false);
      }
      const outcome = await this.#sendAttempt(call, attempt, token);
      const refused = this.#refusedToken(call, attempt, outcome);
      const delivered = deliver(
        refused ? await this.#recover(call, outcome, refused, attempt.plan) : outcome,
        call,
      );
      // Most responses are delivered at once: an `await` less for each call.
      return delivered instanceof Promise ? await delivered : delivered;
    } catch (error) {
      this.#reportTimeout(call, attempt, error);
      throw error;
    } finally {
      call.budget.settle();
      call.releaseBody?.();
      calls.open -= 1;
      if (calls.open === 0) calls.onLastEnd?.();
    }
  }

  #tokensOf(call: Call): TrackedTokenProvider {
    return (call.tokens ??= this.#deps.tokens.of(call.identity));
  }

  #waitForToken(call: Call): Promise<AccessToken> {
    const { budget } = call;
    const signal = budget.cancellation.toAbortSignal();
    return budget.wait(() => this.#tokensOf(call).getToken({ signal }), this.#whileWaitingIn(call));
  }

  /** Ends the message of a caller whose time ends while it waits for a token (B29). */
  #whileWaitingIn(call: Call): string {
    return ` while waiting for an access token of ${pairName(call.subjectIn(this.#deps.profile))}`;
  }

  /** Without a proxy of the module or of the process, `proxy: false` is the module's own connection. */
  #isOfCaller(call: Call): boolean {
    const { base, http } = this.#deps;
    if (call.hasOwnConnection) return true;
    return call.config.proxy === false && proxySettingsFor(base.origin, { proxy: http.proxy }) !== undefined;
  }

  #sendAttempt(call: Call, attempt: Attempt, given: AccessToken | undefined): Promise<Outcome> {
    const { tls } = this.#deps;
    const token = attempt.plan.hasOwnCredentials ? undefined : given;
    // Most pairs have no certificates: an `await` less for each call.
    return tls ? this.#sendWithTls(call, attempt, token, tls) : attempt.send(token, this.#onUnread);
  }

  /** Sends the request once more if the certificates have changed, and the server has not received it (B34). */
  async #sendWithTls(
    call: Call,
    attempt: Attempt,
    token: AccessToken | undefined,
    tls: ClientTls,
  ): Promise<Outcome> {
    const { version } = tls;
    const outcome = await attempt.send(token, this.#onUnread);
    const { failure, response } = outcome;
    if (failure === undefined || response !== undefined) return outcome;
    const isOld = (): Promise<boolean> => isForOldCertificates(failure.error, tls, version);
    if (this.#isOfCaller(call) || !(await call.budget.wait(isOld, WHILE_READING))) return outcome;
    if (!isReplayable(call.config.data) || attempt.plan.redirects?.isRedirected) return outcome;
    // A token may be for the old certificate only (S8).
    const current = token && (this.#tokensOf(call).useIfValid() ?? (await this.#waitForToken(call)));
    const plan = this.#createPlan(call, false);
    // The token, or no token, was for the credentials that the config had before (S7).
    if (plan.hasOwnCredentials !== attempt.plan.hasOwnCredentials) return outcome;
    attempt.plan = plan;
    return attempt.send(current, this.#onUnread);
  }

  /** No caller receives the response. The next call must not use the refused token and wait for an endless response too. */
  readonly #onUnread = (call: Call, refused: AccessToken, status: number | undefined): void => {
    if (status === undefined || !this.#refusedWith.includes(status)) return;
    if (this.#deps.http.retryUnauthorized) this.#tokensOf(call).renewForNextCall(refused);
    if (!call.isSentAgain) this.#publish(call, 'refused');
  };

  /** The token that a response refuses. Reports a token that works (B3). */
  #refusedToken(
    call: Call,
    { testedToken }: Attempt,
    { response, failure, proxyStatus }: Outcome,
  ): AccessToken | undefined {
    if (testedToken === undefined) return undefined;
    if (response === undefined) {
      const isOfCaller = this.#isOfCaller(call) || isBodyError(failure?.error);
      if (!isOfCaller) this.#deps.api?.unanswered(failure?.error, undefined, proxyStatus);
      return undefined;
    }
    const { status } = response;
    // An incomplete response has a status, but no data. A response that `validateStatus` refuses has both.
    const isWhole = failure === undefined || response.data !== undefined;
    if (isWhole || !isCutShort(failure.error)) this.#deps.api?.answered(status, call.identity === undefined);
    else if (!this.#isOfCaller(call)) this.#deps.api?.unanswered(failure.error);
    if (this.#refusedWith.includes(status)) {
      this.#tokensOf(call).reportRefusal(testedToken);
      return testedToken;
    }
    if ((isWhole && status >= 200 && status < 300) || status === 304)
      this.#tokensOf(call).reportSuccess(testedToken, isSentOnce(call));
    return undefined;
  }

  /** A call whose time is over rejects before its request ends. A caller may also be slow to give the body of its request. */
  #reportTimeout(call: Call, attempt: Attempt | undefined, error: unknown): void {
    const { unansweredMs } = call.budget;
    if (unansweredMs === undefined || attempt?.testedToken === undefined) return;
    if (this.#isOfCaller(call) || !isReplayable(call.config.data)) return;
    this.#deps.api?.unanswered(error, unansweredMs);
  }

  /** Not in a loop: the caller gets a second 401, and also the first one if a resend is impossible (C3). */
  async #recover(call: Call, refusal: Outcome, refused: AccessToken, plan: Plan): Promise<Outcome> {
    if (!this.#deps.http.retryUnauthorized) {
      this.#publish(call, 'refused');
      return refusal;
    }
    const isReadOnce = !isReplayable(call.config.data);
    if (isReadOnce || plan.redirects?.changedMethod) {
      let reason: keyof typeof NOT_SENT_AGAIN = isReadOnce ? 'body' : 'redirect';
      if (this.#tokensOf(call).pauseRenewals(refused)) {
        this.#explain(call, refusal);
        reason = 'pause';
      } else {
        // This caller does not have to wait for the renewal (B4).
        this.#tokensOf(call).renewForNextCall(refused);
        if (isReadOnce) this.#warnOfBody(call, refusal.response?.status);
      }
      explain(refusal.failure?.error, NOT_SENT_AGAIN[reason]);
      this.#publish(call, 'not_replayable');
      return refusal;
    }
    const renewed = await this.#renew(call, refusal, refused);
    // The same token: renewals are paused, because the API refused renewed tokens too (B3).
    if (renewed === undefined || renewed === refused) {
      if (renewed !== undefined) this.#explain(call, refusal);
      explain(refusal.failure?.error, renewed ? NOT_SENT_AGAIN.pause : NOT_SENT_AGAIN.renewal);
      this.#publish(call, 'refused');
      return refusal;
    }
    discard(refusal, call);
    call.isSentAgain = true;
    let result: HttpUnauthorizedEvent['outcome'] = 'refused';
    try {
      const attempt = this.#createAttempt(call, false);
      const outcome = await this.#sendAttempt(call, attempt, renewed);
      const refusedAgain = this.#refusedToken(call, attempt, outcome);
      if (refusedAgain !== undefined) this.#refusedNewToken(call, refusedAgain, outcome);
      else if (outcome.response !== undefined) {
        result = 'recovered';
        if (!SAYS_NOTHING_OF_TOKEN.has(outcome.response.status)) this.#tokensOf(call).reportHelp();
      }
      return outcome;
    } finally {
      this.#publish(call, result);
    }
  }

  /** The caller sees a plain 401 now and then, and nothing else shows the reason (B29). Many uploads may meet one expired token. */
  #warnOfBody(call: Call, status = 401): void {
    const { profile, base } = this.#deps;
    if (!this.#bodyWarnings.recurs()) return;
    // Tokens of accounts and scopes are not renewed ahead (B33).
    const remedy = call.identity
      ? 'Send'
      : 'Set token.renewAheadMs, so that no token expires during an upload, or send';
    this.#logger.warn(
      `A request to ${pairName(call.subjectIn(profile))} got a ${status} and was not sent again, because its body ` +
        `can be read only once. The token is renewed for the next call. ${remedy} a body that can be read again, ` +
        `such as a Buffer or a Blob. (BODY_NOT_REPLAYABLE, ${base.host})`,
    );
  }

  /**
   * The API refused also the token that a renewal has just brought. If it has never accepted a token, the settings are wrong,
   * and this is reported at once (B29).
   */
  #refusedNewToken(call: Call, token: AccessToken, outcome: Outcome): void {
    const { api, tokens } = this.#deps;
    // What one account's token is worth says nothing about the pair (B33).
    if (api === undefined || call.identity !== undefined) return;
    // The first call after a success may be about this one request, so its error gets no advice.
    if (tokens.hasWorked) api.refused(undefined, true);
    else if (tokens.pauseRenewals(token)) this.#explain(call, outcome);
  }

  #explain({ identity }: Call, { failure }: Outcome): void {
    const { api, tokens } = this.#deps;
    if (identity === undefined) api?.refused(failure?.error, tokens.hasWorked);
  }

  /** Undefined if there is no other token. Then the API's own 401 helps the caller more than our error (B3). */
  async #renew(call: Call, refusal: Outcome, refused: AccessToken): Promise<AccessToken | undefined> {
    const { budget } = call;
    const signal = budget.cancellation.toAbortSignal();
    try {
      return await budget.wait(
        () => this.#tokensOf(call).renew(refused, { signal }),
        this.#whileWaitingIn(call),
      );
    } catch (error) {
      if (!budget.ended) {
        setCause(refusal, error);
        return undefined;
      }
      discard(refusal, call);
      this.#publish(call, 'refused');
      throw error;
    }
  }

  #publish(call: Call, outcome: HttpUnauthorizedEvent['outcome']): void {
    if (!httpUnauthorizedChannel.hasSubscribers) return;
    httpUnauthorizedChannel.publish({ ...subjectOf(call.subjectIn(this.#deps.profile)), outcome });
  }
}

/** Asked after each success, most often of a call without a body. */
function isSentOnce({ config: { data } }: Call): boolean {
  return data !== undefined && !isReplayable(data);
}

/** Shows the caller of a 401 why the token could not be renewed (B29). Not enumerable, as axios sets a cause. */
function setCause({ failure }: Outcome, cause: unknown): void {
  const error = failure?.error;
  if (!(cause instanceof TokenRequestError) || !isAxiosError(error) || error.cause !== undefined) return;
  Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true });
}
