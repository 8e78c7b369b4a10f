import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type { HttpSettings } from '../config/options/profile.js';
import { type HttpUnauthorizedEvent, httpUnauthorizedChannel } from '../events/provider-auth-events.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';
import type { TrackedTokenProvider } from '../token/token-provider.js';
import { Attempt, type AttemptSettings } from './attempt.js';
import { Call } from './call.js';
import type { Carrier } from './adapter/adapter-traits.js';
import { deliver, discard, type Outcome } from './outcome.js';
import { isReplayable } from './replayable-body.js';
import type { WithheldAgents } from './adapter/withheld-agents.js';

export interface AuthorizedRequestSettings extends AttemptSettings {
  readonly http: Pick<HttpSettings, 'retryUnauthorized' | 'proxy'>;
  readonly tokens: TrackedTokenProvider;
  readonly clock: Clock;
}

/**
 * The road of an authorized request, around the adapter that carries it: here the body is already serialised, the
 * caller's interceptors see one request and one answer, and no object that they hold ever has the token in it.
 */
export class AuthorizedRequest {
  readonly #deps: AuthorizedRequestSettings;

  constructor(settings: AuthorizedRequestSettings) {
    this.#deps = settings;
  }

  /** @param agents what was taken out of the config before, see `takeAgents`. */
  async send(
    config: InternalAxiosRequestConfig,
    carrier: Carrier,
    agents?: WithheldAgents,
  ): Promise<AxiosResponse> {
    const call = new Call(config, carrier, this.#deps.clock, agents);
    try {
      let attempt = new Attempt(this.#deps, call);
      let token = attempt.hasOwnCredentials ? undefined : this.#deps.tokens.useIfValid();
      if (token === undefined && !attempt.hasOwnCredentials) {
        token = await call.budget.race(this.#deps.tokens.getToken({ signal: call.budget.signal }));
        // The caller may have changed everything since, the process its environment: another copy, checked again.
        attempt = new Attempt(this.#deps, call);
      }
      const outcome = await this.#sendAttempt(attempt, token);
      const refused = this.#refusedToken(attempt, outcome);
      return await deliver(refused ? await this.#recover(call, outcome, refused) : outcome, call);
    } finally {
      call.budget.settle();
    }
  }

  #sendAttempt(attempt: Attempt, token: AccessToken | undefined): Promise<Outcome> {
    return attempt.send(attempt.hasOwnCredentials ? undefined : token, this.#onUnreadRefusal);
  }

  /** The caller is gone; the next one is not to wait for an answer that never ends as well. */
  readonly #onUnreadRefusal = (refused: AccessToken): void => {
    if (this.#deps.http.retryUnauthorized) this.#renewForNextCall(refused);
    this.#tell('refused');
  };

  /** If this renewal fails, the next call that needs the token gets the error. */
  #renewForNextCall(refused: AccessToken): void {
    this.#deps.tokens.renew(refused).catch(() => undefined);
  }

  /** The token that an answer refuses; one that works is reported as good (B3). */
  #refusedToken({ testedToken }: Attempt, { response, failure }: Outcome): AccessToken | undefined {
    if (testedToken === undefined || response === undefined) return undefined;
    const { status } = response;
    if (status === 401) return testedToken;
    // An answer that broke off has a status, too, but never its data; one that `validateStatus` refuses has both.
    const isWhole = failure === undefined || response.data !== undefined;
    if ((isWhole && status >= 200 && status < 300) || status === 304)
      this.#deps.tokens.reportSuccess(testedToken);
    return undefined;
  }

  /** After a 401: another token and the request once more, or the 401 (C3). */
  async #recover(call: Call, refusal: Outcome, refused: AccessToken): Promise<Outcome> {
    if (!this.#deps.http.retryUnauthorized) return this.#told('refused', refusal);
    if (!isReplayable(call.config.data)) {
      // This caller need not wait for it (B4).
      this.#renewForNextCall(refused);
      return this.#told('not_replayable', refusal);
    }
    const renewed = await this.#renew(call, refusal, refused);
    // The very same token: renewals are paused, because renewed tokens were refused too (B3).
    if (renewed === undefined || renewed === refused) return this.#told('refused', refusal);
    discard(refusal, call);
    let result: HttpUnauthorizedEvent['outcome'] = 'refused';
    try {
      const attempt = new Attempt(this.#deps, call);
      const outcome = await this.#sendAttempt(attempt, renewed);
      const inVain = outcome.response === undefined || this.#refusedToken(attempt, outcome) !== undefined;
      if (!inVain) result = 'recovered';
      return outcome;
    } finally {
      this.#tell(result);
    }
  }

  /** Nothing when there is no other token: the caller is better served by the API's own 401 (B3). */
  async #renew(call: Call, refusal: Outcome, refused: AccessToken): Promise<AccessToken | undefined> {
    const { budget } = call;
    try {
      return await budget.race(this.#deps.tokens.renew(refused, { signal: budget.signal }));
    } catch (error) {
      if (!budget.ended) return undefined;
      discard(refusal, call);
      this.#tell('refused');
      throw error;
    }
  }

  #told(outcome: HttpUnauthorizedEvent['outcome'], result: Outcome): Outcome {
    this.#tell(outcome);
    return result;
  }

  #tell(outcome: HttpUnauthorizedEvent['outcome']): void {
    if (!httpUnauthorizedChannel.hasSubscribers) return;
    const { interface: name, environment } = this.#deps.profile;
    httpUnauthorizedChannel.publish({ interface: name, environment, outcome });
  }
}
