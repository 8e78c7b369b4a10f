import type { AxiosResponse } from 'axios';
import type { HttpSettings } from '../config/options/profile.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Carrier } from './adapter/adapter-traits.js';
import { bridgedBody } from './adapter/bridged-body.js';
import type { Call } from './call.js';
import { http2OptionsWith } from './adapter/http2-tls.js';
import type { Connecting } from './adapter/connection-settings.js';
import { answered, discard, failed, isFromProxy, type Outcome, proxyFailure, statusOf } from './outcome.js';
import { attachAddress, type RequestAddress } from '../net/base-address.js';
import { privateAgentFor } from '../net/private-agent.js';
import { RedirectPolicy } from './adapter/redirect-policy.js';
import { hasOwnCredentials } from './own-credentials.js';
import { assertMayBeSent, type RequestCheckSettings } from './request-check.js';
import { authorize, type WireConfig, wireConfig } from './adapter/wire-config.js';
import type { WithheldAgents } from './adapter/withheld-agents.js';
import type { ClientTls } from '../net/client-tls.js';
import type { TunnelledTls } from '../net/tunnelled-tls.js';

/** What the attempts of all calls to one interface and environment have in common. */
export interface AttemptSettings extends RequestCheckSettings {
  readonly http: Pick<HttpSettings, 'proxy'>;
  readonly tls?: ClientTls | undefined;
  /** Of `tls`, for requests through a proxy that is reached by TLS. */
  readonly tunnelled?: TunnelledTls | undefined;
}

/** Gets the token that the API refused in an answer that no caller receives: the call ended first, or the answer was too large. */
type OnUnreadRefusal = (refused: AccessToken) => void;

/**
 * One copy of a call's config, to be sent once. It is made, checked and sent in one tick, or made again: what the caller
 * changes meanwhile is checked too, or is not sent (S6).
 */
export class Attempt {
  /** Whether the copy has credentials of the caller: then it is sent without a token. */
  readonly hasOwnCredentials: boolean;
  readonly #settings: AttemptSettings;
  readonly #call: Call;
  readonly #agents: WithheldAgents | undefined;
  readonly #wire: WireConfig;
  readonly #address: RequestAddress;
  #token: AccessToken | undefined;
  #redirects: RedirectPolicy | undefined;

  /** Throws where the request must not be sent. */
  constructor(settings: AttemptSettings, call: Call) {
    this.#settings = settings;
    this.#call = call;
    this.#agents = call.takeAgents();
    const { carrier, config } = call;
    const wire = (this.#wire = wireConfig(config, carrier));
    const address = (this.#address = settings.base.resolve(wire));
    assertMayBeSent({ wire, address, connecting: this.#connecting, carrier }, settings);
    this.hasOwnCredentials = address.hasCredentials || hasOwnCredentials(wire);
    attachAddress(wire, address);
  }

  /**
   * How it ended; rejects only when the budget of the call ended first.
   *
   * @param token needed unless the copy has credentials of its own (S7).
   */
  send(token: AccessToken | undefined, onUnreadRefusal: OnUnreadRefusal): Promise<Outcome> {
    const { carrier, budget, trace } = this.#call;
    if (token) trace.carries(token.reveal());
    this.#complete(token);
    trace.address = this.#address;
    const success = (response: AxiosResponse): Outcome => this.#ended(answered(response), onUnreadRefusal);
    const failure = (error: unknown): Outcome =>
      this.#ended(failed(this.#redirects?.refusal ?? error), onUnreadRefusal);
    try {
      return budget.race(carrier.adapter(this.#wire).then(success, failure));
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

  /** The connection as the caller wants it: in the copy an agent of ours stands in place of theirs. */
  get #connecting(): Connecting {
    const { httpsAgent, dispatcher } = this.#agents ?? {};
    const { httpVersion, http2Options } = this.#wire;
    return { httpsAgent, dispatcher, httpVersion, http2Options };
  }

  /** What only the request itself has: the token, the bridge for a streamed body, the means to end it. */
  #complete(token: AccessToken | undefined): void {
    const { profile, base, http } = this.#settings;
    const { carrier, budget, formType } = this.#call;
    const wire = this.#wire;
    const authorization = token && `Bearer ${token.reveal()}`;
    this.#token = token;
    if (authorization !== undefined) authorize(wire, authorization);
    if (formType !== undefined) wire.headers.setContentType(formType, true);
    wire.data = bridgedBody(wire.data);
    this.#connect(wire);
    if (http.proxy !== undefined) wire.proxy ??= http.proxy;
    this.#applyTls(wire);
    if (wire.maxRedirects !== 0) {
      this.#redirects = new RedirectPolicy(base, profile, authorization, wire.beforeRedirect);
    }
    carrier.redirect(wire, this.#redirects?.beforeRedirect);
    carrier.limit(wire, budget);
  }

  #connect(wire: WireConfig): void {
    const { httpsAgent, dispatcher } = this.#agents ?? {};
    const agent = httpsAgent ?? (this.#call.carrier.managesConnections ? undefined : this.#settings.agent);
    if (agent) wire.httpsAgent = privateAgentFor(agent);
    if (dispatcher) wire.fetchOptions = { ...wire.fetchOptions, dispatcher };
  }

  /** An agent of the pair has its `tls` already. This is for requests on which no agent alone will do. */
  #applyTls(wire: WireConfig): void {
    const { tls, tunnelled } = this.#settings;
    if (tls === undefined) return;
    const { httpVersion }: Connecting = wire;
    if (Number(httpVersion ?? 1) === 2) wire.http2Options = http2OptionsWith(tls, wire.http2Options);
    else if (this.#agents?.httpsAgent === undefined && !makesOwnConnections(this.#call.carrier))
      tunnelled?.applyTo(wire);
  }

  #ended(outcome: Outcome, onUnreadRefusal: OnUnreadRefusal): Outcome {
    const call = this.#call;
    if (isFromProxy(outcome)) {
      discard(outcome, call);
      return failed(proxyFailure(outcome, call));
    }
    const isUnread = call.budget.ended || outcome.response === undefined;
    const { testedToken } = this;
    if (isUnread && testedToken && statusOf(outcome) === 401) onUnreadRefusal(testedToken);
    if (call.budget.ended) discard(outcome, call);
    return outcome;
  }
}

/** A transport that is not one of axios' kind has its own way through a proxy. */
function makesOwnConnections({ managesConnections, isHttp }: Carrier): boolean {
  return managesConnections === true && !isHttp;
}
