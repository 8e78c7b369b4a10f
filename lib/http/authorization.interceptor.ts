import axios, { type AxiosAdapter, type AxiosInstance, type InternalAxiosRequestConfig } from 'axios';
import type { ProviderPair } from '../catalogue/provider-catalogue.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import type { AuthorizedRequest } from './authorized-request.js';
import { type Carrier, chosenCarrier } from './adapter/adapter-traits.js';
import { registerLast } from './last-interceptor.js';
import { privateAgentFor } from '../net/private-agent.js';
import { hasAddress } from '../net/base-address.js';
import { adapterWithAgents, takeAgents, withheldBy, type WithheldAgents } from './adapter/withheld-agents.js';

type Choice = InternalAxiosRequestConfig['adapter'];
type Transforms = InternalAxiosRequestConfig['transformRequest'];

/** The one transform of axios itself; it leaves the adapter alone. */
const USUAL_TRANSFORM = [axios.defaults.transformRequest].flat()[0];

/**
 * The default adapter of a client: it carries what came along the road and refuses the rest. So a client whose
 * interceptors were cleared sends nothing instead of sending without a token (S7), and a mock adapter that passes a
 * request through to what was there before still works.
 *
 * @param agent what a request that passes through another adapter was given on its way.
 */
export function guardedAdapter(
  { adapter, managesConnections }: Carrier,
  pair: ProviderPair,
  agent: object,
): AxiosAdapter {
  return (config) => {
    // Only an `AuthorizedRequest` attaches an address, after it has checked the request.
    if (!hasAddress(config)) return Promise.reject(interceptorRemoved(pair));
    // It was for that adapter, should it have made a connection; this one has its own.
    if (managesConnections && config.httpsAgent === privateAgentFor(agent)) delete config.httpsAgent;
    return adapter(config);
  };
}

/**
 * Sends every request along the road, whatever adapter would have carried it: also one that a mock library or the caller
 * has put there (C3), and one that is put there after this (S7).
 */
export class AuthorizationInterceptor {
  readonly #request: AuthorizedRequest;
  readonly #guard: AxiosAdapter;
  readonly #carrier: Carrier;
  readonly #usually: AxiosAdapter;

  constructor(road: AuthorizedRequest, guard: AxiosAdapter, carrier: Carrier) {
    this.#request = road;
    this.#guard = guard;
    this.#carrier = carrier;
    this.#usually = this.#along(guard, undefined, guard);
  }

  registerOn(instance: AxiosInstance): void {
    const { defaults } = instance;
    registerLast(instance.interceptors.request, (config) => {
      const withheld = withheldBy(config.adapter);
      const choice = withheld ? withheld.choice : config.adapter;
      const usualAgent: unknown = defaults.httpsAgent;
      const agents = takeAgents(config, withheld?.agents, usualAgent);
      config.adapter = this.#adapterFor(choice, agents, usualAgent);
      if (!isUsual(config.transformRequest)) this.#holdOnTo(config, agents);
      return config;
    });
  }

  #adapterFor(choice: Choice, agents: WithheldAgents | undefined, usualAgent?: unknown): AxiosAdapter {
    if (agents === undefined)
      return this.#isGuarded(choice) ? this.#usually : this.#along(choice, agents, choice);
    // The agent of the defaults comes again by itself.
    const comesAgain = agents.httpsAgent === usualAgent && agents.dispatcher === undefined;
    return this.#along(choice, agents, comesAgain ? choice : adapterWithAgents(choice, agents));
  }

  /** @param shown the adapter that the config shows from then on: a config that is sent again takes this way again. */
  #along(choice: Choice, agents: WithheldAgents | undefined, shown: Choice): AxiosAdapter {
    return (config) => {
      if (shown === undefined) delete config.adapter;
      else config.adapter = shown;
      const carrier = this.#isGuarded(choice) ? this.#carrier : chosenCarrier(choice, config);
      return this.#request.send(config, carrier, agents);
    };
  }

  #isGuarded(choice: Choice): boolean {
    return !choice || choice === this.#guard;
  }

  /** A transform has the config as its `this`, and runs when all interceptors have: the adapter it sets is a choice, too. */
  #holdOnTo(config: InternalAxiosRequestConfig, agents: WithheldAgents | undefined): void {
    const { adapter: ours, transformRequest } = config;
    const adapterFor = (choice: Choice): AxiosAdapter => this.#adapterFor(choice, agents);
    config.transformRequest = [
      ...[transformRequest ?? []].flat(),
      function last(this: InternalAxiosRequestConfig, data: unknown): unknown {
        // Results show only transforms that the caller gave.
        if (transformRequest) this.transformRequest = transformRequest;
        else delete this.transformRequest;
        if (this.adapter !== ours) this.adapter = adapterFor(this.adapter);
        return data;
      },
    ];
  }
}

function isUsual(transforms: Transforms): boolean {
  return Array.isArray(transforms) && transforms.length === 1 && transforms[0] === USUAL_TRANSFORM;
}

function interceptorRemoved(pair: ProviderPair): TokenRequestError {
  return new TokenRequestError(pair, {
    code: 'TOKEN_UNAVAILABLE',
    transient: false,
    reason: 'the interceptor that attaches it was removed from axiosRef.',
    remedy: 'Remove your own interceptors with eject(id) instead of clear().',
  });
}
