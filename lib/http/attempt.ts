import type { Agent } from 'node:https';
import type { HttpSettings, Profile } from '../config/profile.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Call } from './call.js';
import type { BaseAddress } from './final-address.js';
import { answered, failed, type Outcome } from './outcome.js';
import { RedirectPolicy } from './redirect-policy.js';
import { authorize, type WireConfig, wireConfig } from './wire-config.js';

/** What the attempts of all calls to one interface and environment have in common. */
export interface AttemptSettings {
  readonly profile: Pick<Profile, 'interface' | 'environment'>;
  readonly base: BaseAddress;
  readonly http: Pick<HttpSettings, 'proxy'>;
  /** Used where the caller names none. It stays out of the configs that callers see: it leads to every open request. */
  readonly agent: Agent;
}

/** A call being sent once, with one token or with the caller's own credentials. */
export class Attempt {
  readonly #call: Call;
  readonly #token: AccessToken | undefined;
  readonly #redirects: RedirectPolicy | undefined;
  readonly #wire: WireConfig;

  constructor({ profile, base, http, agent }: AttemptSettings, call: Call, token: AccessToken | undefined) {
    const { config, carrier, budget, formType } = call;
    const authorization = token && `Bearer ${token.reveal()}`;
    const wire = wireConfig(config, carrier.blank());
    if (authorization !== undefined) authorize(wire, authorization);
    if (formType !== undefined) wire.headers.setContentType(formType, true);
    if (!carrier.hasConnections) wire.httpsAgent ??= agent;
    if (http.proxy !== undefined) wire.proxy ??= http.proxy;
    if (wire.maxRedirects !== 0) {
      this.#redirects = new RedirectPolicy(base, profile, authorization, config.beforeRedirect);
      carrier.redirect(wire, this.#redirects.beforeRedirect);
    }
    carrier.limit(wire, budget);
    this.#call = call;
    this.#token = token;
    this.#wire = wire;
  }

  /** How it ended; rejects only when the budget of the call ended first. */
  send(): Promise<Outcome> {
    const { carrier, budget, trace } = this.#call;
    if (this.#token) trace.carries(this.#token.reveal());
    budget.sent = true;
    try {
      const failure = (error: unknown): Outcome => failed(this.#redirects?.refusal ?? error);
      return budget.race(carrier.adapter(this.#wire).then(answered, failure));
    } catch (error) {
      return Promise.resolve(failed(error));
    }
  }

  /**
   * The token about which an answer says something: the one that was sent, unless the answer comes from another address
   * to which a redirect led without it.
   */
  get testedToken(): AccessToken | undefined {
    return this.#redirects?.carriesToken === false ? undefined : this.#token;
  }
}
