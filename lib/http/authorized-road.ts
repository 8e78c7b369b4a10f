import type { Agent } from 'node:https';
import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type { HttpSettings, Profile } from '../config/profile.js';
import { RequestRefusedError } from '../errors/request-refused.error.js';
import { type HttpUnauthorizedEvent, httpUnauthorizedChannel } from '../events/provider-auth-events.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';
import type { TrackedTokenProvider } from '../token/token-provider.js';
import { CallBudget } from './call-budget.js';
import { CallTrace } from './call-trace.js';
import type { Carrier } from './carriers.js';
import { BaseAddress } from './final-address.js';
import { deliver, discard, failed, type Outcome } from './outcome.js';
import { hasOwnCredentials, namesAnotherHost } from './own-credentials.js';
import { RedirectPolicy } from './redirect-policy.js';
import { isReplayable } from './replayable-body.js';
import { fixedFormType, wireConfig } from './wire-config.js';

export interface RoadSettings {
  readonly profile: Pick<Profile, 'interface' | 'environment' | 'baseUrl'>;
  readonly http: Pick<HttpSettings, 'retryUnauthorized' | 'proxy'>;
  readonly tokens: TrackedTokenProvider;
  readonly clock: Clock;
  /** Used where the caller names none. It stays out of the configs that callers see: it leads to every open request. */
  readonly agent: Agent;
}

/** One call on its way. */
interface Call {
  readonly config: InternalAxiosRequestConfig;
  readonly carrier: Carrier;
  readonly budget: CallBudget;
  readonly trace: CallTrace;
  readonly formType: string | undefined;
}

/**
 * The road of an authorized request, around the adapter that carries it: here the body is already serialised, the
 * caller's interceptors see one request and one answer, and no object that they hold ever has the token in it.
 */
export class AuthorizedRoad {
  readonly #with: RoadSettings;
  readonly #base: BaseAddress;

  constructor(settings: RoadSettings) {
    this.#with = settings;
    this.#base = new BaseAddress(settings.profile.baseUrl);
  }

  async travel(config: InternalAxiosRequestConfig, carrier: Carrier): Promise<AxiosResponse> {
    const bringsItsOwn = this.#bringsItsOwnCredentials(config);
    const budget = new CallBudget(config, this.#with.clock);
    const trace = new CallTrace(config);
    const formType = carrier.isHttp ? fixedFormType(config) : undefined;
    const call: Call = { config, carrier, budget, trace, formType };
    try {
      const token = bringsItsOwn ? undefined : (this.#with.tokens.peek() ?? (await this.#obtain(budget)));
      return await deliver(await this.#send(call, token), call);
    } finally {
      budget.settle();
    }
  }

  /** Refuses what does not end under the base URL (S6, S9). */
  #bringsItsOwnCredentials(config: InternalAxiosRequestConfig): boolean {
    const verdict = namesAnotherHost(config, this.#base.host) ? 'OUTSIDE_BASE_URL' : this.#base.judge(config);
    if (verdict === 'under') return hasOwnCredentials(config);
    if (verdict === 'under, with credentials of its own') return true;
    throw new RequestRefusedError(verdict, this.#with.profile);
  }

  #obtain(budget: CallBudget): Promise<AccessToken> {
    return budget.race(this.#with.tokens.getToken({ signal: budget.signal }));
  }

  /** Once, and after a 401 that says something about our token once more (C3). */
  async #send(call: Call, token: AccessToken | undefined): Promise<Outcome> {
    const redirects = this.#redirects(call, token);
    const outcome = await this.#attempt(call, token, redirects);
    const status = outcome.response?.status;
    if (token === undefined || status === undefined || !redirects.carriesToken) return outcome;
    if (status === 401) return this.#recover(call, outcome, token);
    if ((status >= 200 && status < 300) || status === 304) this.#with.tokens.accepted(token);
    return outcome;
  }

  async #attempt(call: Call, token: AccessToken | undefined, redirects: RedirectPolicy): Promise<Outcome> {
    const { config, carrier, budget, trace } = call;
    const wire = wireConfig(config, {
      authorization: redirects.authorization,
      formType: call.formType,
      settings: this.#settings(call, redirects),
    });
    if (token) trace.carries(token.reveal());
    budget.sent = true;
    try {
      return { response: await budget.race(carrier.adapter(wire)) };
    } catch (error) {
      if (budget.ended) throw error;
      return failed(redirects.refusal ?? error);
    }
  }

  /** What an adapter is told and no caller is shown. */
  #settings({ config, carrier, budget }: Call, redirects: RedirectPolicy): object {
    const { http, agent } = this.#with;
    return {
      httpsAgent: (config.httpsAgent as Agent | undefined) ?? agent,
      proxy: config.proxy ?? http.proxy,
      timeout: budget.isTimed && (carrier.isHttp || carrier.isFetch) ? 0 : config.timeout,
      cancelToken: budget.cancellation,
      signal: carrier.isHttp ? undefined : budget.signal,
      maxRedirects: carrier.isFetch ? 0 : config.maxRedirects,
      beforeRedirect: config.maxRedirects === 0 ? undefined : redirects.beforeRedirect,
    };
  }

  #redirects({ config }: Call, token: AccessToken | undefined): RedirectPolicy {
    const authorization = token && `Bearer ${token.reveal()}`;
    return new RedirectPolicy(this.#base, this.#with.profile, authorization, config.beforeRedirect);
  }

  async #recover(call: Call, refusal: Outcome, refused: AccessToken): Promise<Outcome> {
    if (!this.#with.http.retryUnauthorized) return this.#tell('refused', refusal);
    if (!isReplayable(call.config.data)) {
      // For the next call; this caller need not wait for it, and its failure is told to whoever needs the token (B4).
      this.#with.tokens.renew(refused).catch(() => undefined);
      return this.#tell('not_replayable', refusal);
    }
    const renewed = await this.#renew(call, refusal, refused);
    // The very same token: renewals are paused, because renewed tokens were refused too (B3).
    if (renewed === undefined || renewed === refused) return this.#tell('refused', refusal);
    discard(refusal);
    const redirects = this.#redirects(call, renewed);
    const outcome = await this.#attempt(call, renewed, redirects);
    const status = outcome.response?.status;
    return this.#tell(status === undefined || status === 401 ? 'refused' : 'recovered', outcome);
  }

  /** Nothing when there is no other token: the caller is better served by the API's own 401 (B3). */
  async #renew({ budget }: Call, refusal: Outcome, refused: AccessToken): Promise<AccessToken | undefined> {
    try {
      return await budget.race(this.#with.tokens.renew(refused, { signal: budget.signal }));
    } catch (error) {
      if (!budget.ended) return undefined;
      discard(refusal);
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
