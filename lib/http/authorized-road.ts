import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { insistsOnCertificates } from '../config/http-rules.js';
import type { HttpSettings } from '../config/profile.js';
import { RequestRefusedError, UNCHECKED_CERTIFICATE } from '../errors/request-refused.error.js';
import { type HttpUnauthorizedEvent, httpUnauthorizedChannel } from '../events/provider-auth-events.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';
import type { TrackedTokenProvider } from '../token/token-provider.js';
import { Attempt, type AttemptSettings } from './attempt.js';
import { Call } from './call.js';
import type { Carrier } from './carriers.js';
import { deliver, discard, type Outcome } from './outcome.js';
import { hasOwnCredentials, namesAnotherHost } from './own-credentials.js';
import { isReplayable } from './replayable-body.js';
import { acceptsWhoeverAnswers } from './unchecked-connection.js';

export interface RoadSettings extends AttemptSettings {
  readonly http: Pick<HttpSettings, 'retryUnauthorized' | 'proxy'>;
  readonly tokens: TrackedTokenProvider;
  readonly clock: Clock;
}

/**
 * The road of an authorized request, around the adapter that carries it: here the body is already serialised, the
 * caller's interceptors see one request and one answer, and no object that they hold ever has the token in it.
 */
export class AuthorizedRoad {
  readonly #with: RoadSettings;
  readonly #agentInsists: boolean;

  constructor(settings: RoadSettings) {
    this.#with = settings;
    this.#agentInsists = insistsOnCertificates(settings.agent);
  }

  async travel(config: InternalAxiosRequestConfig, carrier: Carrier): Promise<AxiosResponse> {
    this.#refuseUnchecked(config, carrier);
    const bringsItsOwn = this.#bringsItsOwnCredentials(config);
    const call = new Call(config, carrier, this.#with.clock);
    try {
      const token = bringsItsOwn ? undefined : (this.#with.tokens.peek() ?? (await this.#obtain(call)));
      const attempt = new Attempt(this.#with, call, token);
      const outcome = await attempt.send();
      const refused = this.#refusedToken(attempt, outcome);
      return await deliver(refused ? await this.#recover(call, outcome, refused) : outcome, call);
    } finally {
      call.budget.settle();
    }
  }

  /** Refuses what would not end under the base URL (S6, S9). */
  #bringsItsOwnCredentials(config: InternalAxiosRequestConfig): boolean {
    const { base, profile } = this.#with;
    const verdict = namesAnotherHost(config, base.host) ? 'OUTSIDE_BASE_URL' : base.judge(config);
    if (verdict === 'under') return hasOwnCredentials(config);
    if (verdict === 'under, with credentials of its own') return true;
    throw new RequestRefusedError(verdict, profile);
  }

  /**
   * Refuses what would end with anybody who claims to be there (S9): at once, and again whenever a token was waited for,
   * because the process may have been told to check no certificates since.
   */
  #refuseUnchecked(config: InternalAxiosRequestConfig, carrier: Carrier): void {
    if (acceptsWhoeverAnswers(config, carrier, this.#agentInsists))
      throw new RequestRefusedError('INSECURE_URL', this.#with.profile, UNCHECKED_CERTIFICATE);
  }

  async #obtain({ budget, config, carrier }: Call): Promise<AccessToken> {
    const token = await budget.race(this.#with.tokens.getToken({ signal: budget.signal }));
    this.#refuseUnchecked(config, carrier);
    return token;
  }

  /** The token that an answer refuses; one that works is reported as good (B3). */
  #refusedToken({ testedToken }: Attempt, { response, failure }: Outcome): AccessToken | undefined {
    if (testedToken === undefined || response === undefined) return undefined;
    const { status } = response;
    if (status === 401) return testedToken;
    // An answer that broke off has a status, too, but never its data; one that `validateStatus` refuses has both.
    const isWhole = failure === undefined || response.data !== undefined;
    if ((isWhole && status >= 200 && status < 300) || status === 304) this.#with.tokens.accepted(testedToken);
    return undefined;
  }

  /** After a 401: another token and the request once more, or the 401 (C3). */
  async #recover(call: Call, refusal: Outcome, refused: AccessToken): Promise<Outcome> {
    const { http, tokens } = this.#with;
    if (!http.retryUnauthorized) return this.#tell('refused', refusal);
    if (!isReplayable(call.config.data)) {
      // For the next call. This caller need not wait for it, and a failure is told to the one who needs the token (B4).
      tokens.renew(refused).catch(() => undefined);
      return this.#tell('not_replayable', refusal);
    }
    const renewed = await this.#renew(call, refusal, refused);
    // The very same token: renewals are paused, because renewed tokens were refused too (B3).
    if (renewed === undefined || renewed === refused) return this.#tell('refused', refusal);
    discard(refusal, call);
    this.#refuseUnchecked(call.config, call.carrier);
    const attempt = new Attempt(this.#with, call, renewed);
    const outcome = await attempt.send();
    const inVain = outcome.response === undefined || this.#refusedToken(attempt, outcome) !== undefined;
    return this.#tell(inVain ? 'refused' : 'recovered', outcome);
  }

  /** Nothing when there is no other token: the caller is better served by the API's own 401 (B3). */
  async #renew(call: Call, refusal: Outcome, refused: AccessToken): Promise<AccessToken | undefined> {
    const { budget } = call;
    try {
      return await budget.race(this.#with.tokens.renew(refused, { signal: budget.signal }));
    } catch (error) {
      if (!budget.ended) return undefined;
      discard(refusal, call);
      throw error;
    }
  }

  #tell(outcome: HttpUnauthorizedEvent['outcome'], result: Outcome): Outcome {
    if (httpUnauthorizedChannel.heard) {
      const { interface: name, environment } = this.#with.profile;
      httpUnauthorizedChannel.publish({ interface: name, environment, outcome });
    }
    return result;
  }
}
