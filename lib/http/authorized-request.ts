import { type AxiosResponse, type InternalAxiosRequestConfig, isAxiosError } from 'axios';
import { pairName, providerOf } from '../catalogue/catalogue.js';
import type { HttpSettings } from '../config/options/profile.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import { type HttpUnauthorizedEvent, httpUnauthorizedChannel } from '../events/provider-auth-events.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';
import { isPolluted } from '../net/pollution.js';
import type { Resend, TrackedTokenProvider } from '../token/token-provider.js';
import type { AdapterTraits } from './adapter/adapter-traits.js';
import type { WithheldAgents } from './adapter/connection.js';
import { isBodyError } from './adapter/body-errors.js';
import { isReplayable } from './adapter/request-body.js';
import { type ApiReport, isCutShort } from './api-report.js';
import { AdapterPlan, type AttemptSettings } from './adapter-plan.js';
import { Attempt, DirectPlan } from './attempt.js';
import { Call, type ResultStyle } from './call.js';
import { deliver, discard, type Outcome } from './outcome.js';
import { UnrepeatableBodyWarning } from './unrepeatable-body-warning.js';

export interface AuthorizedRequestSettings extends AttemptSettings {
  readonly http: Pick<HttpSettings, 'retryUnauthorized' | 'proxy'>;
  readonly tokens: TrackedTokenProvider;
  readonly clock: Clock;
  /** The doctor has no log and no status, so it has no report. */
  readonly api?: ApiReport | undefined;
}

/** The calls that have begun in one time. */
class OpenCalls {
  open = 0;
  #onLastEnd: (() => void) | undefined;

  endOne(): void {
    this.open -= 1;
    if (this.open === 0) this.#onLastEnd?.();
  }

  async ended(): Promise<void> {
    if (this.open > 0) await new Promise<void>((resolve) => (this.#onLastEnd = resolve));
  }
}

/**
 * Sends a request with a token, and decides about a 401. It runs in place of the adapter: the body is already serialised,
 * the caller's interceptors see one request and one response, and no object of the caller ever holds the token.
 */
export class AuthorizedRequest {
  readonly #deps: AuthorizedRequestSettings;
  readonly #bodyWarning: UnrepeatableBodyWarning;
  /** Ends the message of a caller whose time ends while it waits for a token (B29). */
  readonly #whileWaiting: string;
  #calls = new OpenCalls();

  constructor(settings: AuthorizedRequestSettings) {
    this.#deps = settings;
    const { profile, base, clock } = settings;
    this.#bodyWarning = new UnrepeatableBodyWarning(profile, base.host, clock);
    this.#whileWaiting = ` while waiting for an access token of ${pairName(profile)}`;
  }

  /**
   * @param agents the agents that were taken out of the config before, see `takeAgents`.
   * @param style how the caller gets the result. If you omit it, the result is as axios gives it.
   */
  send(
    config: InternalAxiosRequestConfig,
    traits: AdapterTraits,
    agents?: WithheldAgents,
    style?: ResultStyle,
  ): Promise<AxiosResponse> {
    return this.#send(new Call(config, traits, this.#deps.clock, agents, style), false);
  }

  /** Sends the config of an ordinary call (B16), which is checked again only after a wait. */
  sendOrdinary(config: InternalAxiosRequestConfig, traits: AdapterTraits): Promise<AxiosResponse> {
    return this.#send(new Call(config, traits, this.#deps.clock), true);
  }

  /**
   * Resolves when the calls have ended that are under way now. A response that is still being read is not a call any more.
   * Without this limit, an application that goes on calling could not close in time.
   */
  ended(): Promise<void> {
    const calls = this.#calls;
    this.#calls = new OpenCalls();
    return calls.ended();
  }

  /** Checks the address, and throws if the request must not be sent (S6). */
  #createAttempt(call: Call, isOrdinary: boolean): Attempt {
    const { config, traits } = call;
    const { base } = this.#deps;
    const { directSender } = traits;
    const isDirect = directSender !== undefined && !call.hasAgents && !isPolluted();
    if (isDirect && (isOrdinary || call.style.isOrdinary(config))) {
      const plan = DirectPlan.of(directSender, call, base.resolve(config));
      if (plan) return new Attempt(call, plan);
    }
    return new Attempt(call, new AdapterPlan(this.#deps, call));
  }

  async #send(call: Call, isOrdinary: boolean): Promise<AxiosResponse> {
    let attempt: Attempt | undefined;
    const calls = this.#calls;
    calls.open += 1;
    try {
      attempt = this.#createAttempt(call, isOrdinary);
      let token = attempt.hasOwnCredentials ? undefined : this.#deps.tokens.useIfValid();
      if (token === undefined && !attempt.hasOwnCredentials) {
        const { budget } = call;
        token = await budget.wait(() => this.#deps.tokens.getToken(), this.#whileWaiting);
        // The application may have changed the config, and the process its environment: a new copy, checked again.
        attempt = this.#createAttempt(call, false);
      }
      const outcome = await this.#sendAttempt(attempt, token);
      const refused = this.#refusedToken(call, attempt, outcome);
      const delivered = deliver(refused ? await this.#recover(call, outcome, refused) : outcome, call);
      // Most responses are delivered at once: an `await` less for each call.
      return delivered instanceof Promise ? await delivered : delivered;
    } catch (error) {
      this.#reportTimeout(call, attempt, error);
      throw error;
    } finally {
      call.budget.settle();
      calls.endOne();
    }
  }

  #sendAttempt(attempt: Attempt, token: AccessToken | undefined): Promise<Outcome> {
    return attempt.send(attempt.hasOwnCredentials ? undefined : token, this.#onUnreadRefusal);
  }

  /** No caller receives the response. The next call must not use the refused token and wait for an endless response too. */
  readonly #onUnreadRefusal = (refused: AccessToken): void => {
    if (this.#deps.http.retryUnauthorized) this.#renewForNextCall(refused);
    this.#publish('refused');
  };

  /** If this renewal fails, the next call that needs the token gets the error. */
  #renewForNextCall(refused: AccessToken): void {
    this.#deps.tokens.renew(refused).catch(() => undefined);
  }

  /** The token that a response refuses. Reports a token that works (B3). */
  #refusedToken(
    call: Call,
    { testedToken }: Attempt,
    { response, failure }: Outcome,
    wasSentAgain = false,
  ): AccessToken | undefined {
    if (testedToken === undefined) return undefined;
    if (response === undefined) {
      const isOfCaller = call.hasOwnConnection || isBodyError(failure?.error);
      if (!isOfCaller) this.#deps.api?.unanswered(failure?.error);
      return undefined;
    }
    const { status } = response;
    // An incomplete response has a status, but no data. A response that `validateStatus` refuses has both.
    const isWhole = failure === undefined || response.data !== undefined;
    if (isWhole || !isCutShort(failure.error)) this.#deps.api?.answered(status);
    else if (!call.hasOwnConnection) this.#deps.api?.unanswered(failure.error);
    if (status === 401) {
      this.#deps.tokens.reportRefusal(testedToken);
      return testedToken;
    }
    if ((isWhole && status >= 200 && status < 300) || status === 304)
      this.#deps.tokens.reportSuccess(testedToken, wasSentAgain ? 'done' : resendOf(call));
    return undefined;
  }

  /** A call whose time is over rejects before its request ends. A caller may also be slow to give the body of its request. */
  #reportTimeout(call: Call, attempt: Attempt | undefined, error: unknown): void {
    const { unansweredMs } = call.budget;
    if (unansweredMs === undefined || attempt?.testedToken === undefined) return;
    if (call.hasOwnConnection || !isReplayable(call.config.data)) return;
    this.#deps.api?.unanswered(error, unansweredMs);
  }

  /** After a 401: renews the token and sends the request once more. If that is impossible, the caller gets the 401 (C3). */
  async #recover(call: Call, refusal: Outcome, refused: AccessToken): Promise<Outcome> {
    if (!this.#deps.http.retryUnauthorized) {
      this.#publish('refused');
      return refusal;
    }
    if (!isReplayable(call.config.data)) {
      // This caller does not have to wait for the renewal (B4).
      this.#renewForNextCall(refused);
      this.#bodyWarning.notResent();
      this.#publish('not_replayable');
      return refusal;
    }
    const renewed = await this.#renew(call, refusal, refused);
    // The same token: renewals are paused, because the API refused renewed tokens too (B3).
    if (renewed === undefined || renewed === refused) {
      if (renewed !== undefined) this.#explain(refusal);
      this.#publish('refused');
      return refusal;
    }
    discard(refusal, call);
    let result: HttpUnauthorizedEvent['outcome'] = 'refused';
    try {
      const attempt = this.#createAttempt(call, false);
      const outcome = await this.#sendAttempt(attempt, renewed);
      const refusedAgain = this.#refusedToken(call, attempt, outcome, true);
      if (refusedAgain !== undefined) this.#refusedNewToken(refusedAgain, outcome);
      else if (outcome.response !== undefined) result = 'recovered';
      return outcome;
    } finally {
      this.#publish(result);
    }
  }

  /**
   * The API refused also the token that a renewal has just brought. Usually the next call shows whether another token helps.
   * If the API has never accepted a token, the settings are wrong, and this is reported at once (B29).
   */
  #refusedNewToken(token: AccessToken, outcome: Outcome): void {
    const { api, tokens } = this.#deps;
    if (api === undefined) return;
    // The first call after a success may be about this one request, so its error gets no advice.
    if (api.hasAccepted) api.refused(undefined);
    else if (tokens.pauseRenewals(token)) this.#explain(outcome);
  }

  /** Renewals are paused: a 401 says what to do. */
  #explain({ failure }: Outcome): void {
    this.#deps.api?.refused(failure?.error);
  }

  /** Undefined if there is no other token. Then the API's own 401 helps the caller more than our error (B3). */
  async #renew(call: Call, refusal: Outcome, refused: AccessToken): Promise<AccessToken | undefined> {
    const { budget } = call;
    try {
      return await budget.wait(() => this.#deps.tokens.renew(refused), this.#whileWaiting);
    } catch (error) {
      if (!budget.ended) {
        setCause(refusal, error);
        return undefined;
      }
      discard(refusal, call);
      this.#publish('refused');
      throw error;
    }
  }

  #publish(outcome: HttpUnauthorizedEvent['outcome']): void {
    if (!httpUnauthorizedChannel.hasSubscribers) return;
    const { profile } = this.#deps;
    const { interface: name, environment } = profile;
    httpUnauthorizedChannel.publish({
      provider: providerOf(profile),
      interface: name,
      environment,
      outcome,
    });
  }
}

function resendOf({ config }: Call): Resend {
  return isReplayable(config.data) ? 'possible' : 'impossible';
}

/** Shows the caller of a 401 why the token could not be renewed (B29). Not enumerable, as axios sets a cause. */
function setCause({ failure }: Outcome, cause: unknown): void {
  const error = failure?.error;
  if (!(cause instanceof TokenRequestError) || !isAxiosError(error) || error.cause !== undefined) return;
  Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true });
}
