import { ClientRequest } from 'node:http';
import type { Agent } from 'node:https';
import { Duplex, Readable } from 'node:stream';
import { type AxiosResponse, isAxiosError } from 'axios';
import type { AnyPair } from '../catalogue/catalogue.js';
import type { HttpSettings } from '../config/options/profile.js';
import { connectedElsewhere, outsideBaseUrl, RequestRefusedError } from '../errors/request-refused.error.js';
import type { NamedPair } from '../errors/setting-names.js';
import {
  attachAddress,
  type BaseAddress,
  isSchemeless,
  type RequestAddress,
  shownAddress,
} from '../net/base-address.js';
import type { ClientTls } from '../net/client-tls.js';
import type { MadeOfTls } from '../net/made-of-tls.js';
import { shieldFromPollution } from '../net/pollution.js';
import { isPrivateAgent, privateAgentFor } from '../net/private-agent.js';
import type { TunnelledTls } from '../net/tunnelled-tls.js';
import { isNodeStream, isObject } from '../values/is-object.js';
import type { ResultSink } from '../wire/wire-request.js';
import { applyDeadline, followRedirects } from './adapter/adapter-traits.js';
import {
  connectionFlaw,
  type ConnectionSettings,
  namesAnotherHost,
  type WithheldAgents,
} from './adapter/connection.js';
import { http2OptionsWith } from './adapter/http2-tls.js';
import { RedirectPolicy } from './adapter/redirect-policy.js';
import { bridgedBody } from './adapter/request-body.js';
import { authorize, hasOwnCredentials, type WireConfig, wireConfig } from './adapter/wire-config.js';
import type { Plan } from './attempt.js';
import type { Call } from './call.js';

/** No member of this object is inherited from a polluted prototype (B36). */
const NO_AGENTS = Object.freeze(Object.create(null) as WithheldAgents);

export interface AttemptSettings {
  readonly profile: AnyPair & Pick<NamedPair, 'terms'>;
  readonly base: BaseAddress;
  readonly agents: Pick<MadeOfTls<Agent>, 'current'>;
  readonly http: Pick<HttpSettings, 'proxy'>;
  readonly tls?: ClientTls | undefined;
  /** Of `tls`, for requests through a proxy that is reached by TLS. */
  readonly tunnelled?: TunnelledTls | undefined;
}

/**
 * Sends one copy of a call's config through an adapter. The copy is made, checked and sent in one tick. After a wait a new attempt
 * has a new plan: what the caller has changed meanwhile is checked too, or is not sent (S6).
 */
export class AdapterPlan implements Plan {
  readonly hasOwnCredentials: boolean;
  readonly address: RequestAddress;
  readonly givesCleanResponses = false;
  redirects: RedirectPolicy | undefined = undefined;
  readonly #settings: AttemptSettings;
  readonly #call: Call;
  readonly #agents: WithheldAgents;
  readonly #wire: WireConfig;
  /** What errors are about. */
  readonly #subject: AnyPair;

  /** Throws if the request must not be sent. */
  constructor(settings: AttemptSettings, call: Call) {
    this.#settings = settings;
    this.#call = call;
    this.#subject = call.subjectIn(settings.profile);
    this.#agents = call.takeAgents() ?? NO_AGENTS;
    this.#wire = wireConfig(call.config, call.traits);
    if (call.traits.kind === 'http') shieldFromPollution(this.#wire);
    this.address = settings.base.resolve(this.#wire);
    this.#assertMayBeSent();
    attachAddress(this.#wire, this.address);
    this.hasOwnCredentials = this.address.hasCredentials || hasOwnCredentials(this.#wire);
  }

  send(result: ResultSink): void {
    const { adapter, kind } = this.#call.traits;
    const released = <Given extends AxiosResponse | undefined>(response: Given): Given => {
      if (response && kind === 'http') releaseWhenOver(response, this.#wire.data);
      return response;
    };
    adapter(this.#wire).then(
      (response) => result.resolve(released(response)),
      (error: unknown) => {
        if (isAxiosError(error)) released(error.response);
        result.reject(this.redirects?.refusal ?? error);
      },
    );
  }

  /** To its address (S6), over its connection (S9). */
  #assertMayBeSent(): void {
    const { base, tls } = this.#settings;
    // A `fetch` or a dispatcher of the caller makes connections that the caller has chosen.
    const usesProcess =
      this.#call.traits.kind === 'fetch' &&
      this.#agents.dispatcher === undefined &&
      this.#wire.env?.fetch === undefined;
    const flaw = tls && usesProcess ? 'fetch-without-tls' : this.#connectionFlaw(usesProcess);
    if (flaw && flaw !== 'elsewhere') throw new RequestRefusedError('INSECURE_URL', this.#subject, flaw);
    const detour = this.#wire.socketPath
      ? 'socketPath'
      : (namesAnotherHost(this.#wire, base.host) && 'host') || (flaw === 'elsewhere' && 'agent');
    if (detour)
      throw new RequestRefusedError(
        'OUTSIDE_BASE_URL',
        this.#subject,
        connectedElsewhere(detour, base.shown),
      );
    const refusedAddress = refusalOf(this.address, this.#subject);
    if (refusedAddress) throw refusedAddress;
  }

  /** A connection was checked at boot and cannot have changed if a transport makes it, or an agent that only this module holds. */
  #connectionFlaw(usesProcess: boolean): ReturnType<typeof connectionFlaw> {
    const { traits } = this.#call;
    const { current } = this.#settings.agents;
    const { httpsAgent, dispatcher } = this.#agents;
    const { httpVersion, http2Options } = this.#wire as ConnectionSettings;
    const isChosen = (httpsAgent ?? httpVersion ?? http2Options ?? dispatcher ?? undefined) !== undefined;
    const wasChecked = traits.managesConnections || (traits.kind !== 'fetch' && isPrivateAgent(current));
    if (wasChecked && !isChosen) return undefined;
    const used = { httpsAgent, dispatcher, usesProcess, httpVersion, http2Options };
    return connectionFlaw(used, traits, current);
  }

  complete(authorization: string | undefined): void {
    const { base, http } = this.#settings;
    const { traits, budget, formType } = this.#call;
    const wire = this.#wire;
    if (authorization !== undefined) authorize(wire, authorization);
    if (formType !== undefined) wire.headers.setContentType(formType, true);
    if (isObject(wire.data)) wire.data = bridgedBody(wire.data);
    const { httpsAgent, dispatcher } = this.#agents;
    const agent = httpsAgent ?? (traits.managesConnections ? undefined : this.#settings.agents.current);
    if (agent) wire.httpsAgent = privateAgentFor(agent);
    if (dispatcher) wire.fetchOptions = { ...wire.fetchOptions, dispatcher };
    if (http.proxy !== undefined) wire.proxy ??= http.proxy;
    this.#applyTls(wire);
    if (wire.maxRedirects !== 0) {
      const showsCertificate = this.#settings.tls?.certificate() !== undefined && httpsAgent === undefined;
      this.redirects = new RedirectPolicy(
        base,
        this.#subject,
        authorization,
        wire.beforeRedirect,
        showsCertificate,
      );
    }
    followRedirects(wire, traits, this.redirects?.beforeRedirect);
    applyDeadline(wire, traits, budget);
  }

  /**
   * The pair's own agent has the `tls` settings already. HTTP/2 uses no agent, and a request through a proxy that is reached
   * by TLS needs the settings on the request itself.
   */
  #applyTls(wire: WireConfig): void {
    const { tls, tunnelled } = this.#settings;
    if (tls === undefined) return;
    const { kind, managesConnections } = this.#call.traits;
    const { httpVersion }: ConnectionSettings = wire;
    if (Number(httpVersion ?? 1) === 2) wire.http2Options = http2OptionsWith(tls, wire.http2Options);
    // A transport that does not act as axios' http adapter connects to a proxy itself.
    else if (this.#agents.httpsAgent === undefined && (kind === 'http' || !managesConnections))
      tunnelled?.applyTo(wire);
  }
}

/**
 * Frees what the request of an answer holds when the answer is over. axios gives a stream with a `maxContentLength` as a
 * generator, and if that is never read, ending it does not end the answer. After the end of an answer, Node sends no more of a
 * streamed body and reads no more of it, so the connection and the stream would stay for ever (B4).
 */
function releaseWhenOver({ data, request }: AxiosResponse<unknown>, body: unknown): void {
  const release = (wasRead: boolean): void => {
    // Not only a stream of the caller: axios makes one of a form, of a file, and for progress events.
    const isUnsent = request instanceof ClientRequest && !request.writableEnded;
    if (isUnsent && isNodeStream(body)) (body as Partial<Readable>).destroy?.();
    // Over HTTP/2, the request is the stream that the answer comes on.
    if (isUnsent || (!wasRead && (request instanceof ClientRequest || request instanceof Duplex)))
      request.destroy();
  };
  if (isNodeStream(data)) data.once('close', () => release(data.readableEnded));
  else release(true);
}

export function refusalOf(address: RequestAddress, pair: AnyPair): RequestRefusedError | undefined {
  const { verdict, base } = address;
  if (verdict === 'UNDER_BASE_URL') return undefined;
  const why =
    verdict === 'OUTSIDE_BASE_URL'
      ? outsideBaseUrl(shownAddress(address), base.shown, isSchemeless(address))
      : undefined;
  return new RequestRefusedError(verdict, pair, why);
}
