import type { AxiosAdapter, AxiosInstance, InternalAxiosRequestConfig } from 'axios';
import type { AnyPair } from '../catalogue/catalogue.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import { type BaseAddress, hasAddress } from '../net/base-address.js';
import { privateAgentFor } from '../net/private-agent.js';
import { type AdapterTraits, traitsOf } from './adapter/adapter-traits.js';
import { adapterWithAgents, takeAgents, withheldBy, type WithheldAgents } from './adapter/connection.js';
import { refusalOf } from './adapter-plan.js';
import type { AuthorizedRequest } from './authorized-request.js';
import { isDefaultForRequests } from './direct/direct-call.js';
import { InterceptorChain } from './direct/interceptor-chain.js';

type Config = InternalAxiosRequestConfig;
type Choice = Config['adapter'];
type Agents = WithheldAgents | undefined;

/**
 * The default adapter of a client. It refuses what `AuthorizedRequest` has not checked, so a client without its interceptors
 * sends nothing, instead of a request without a token (S7). A mock adapter may pass a request on to it.
 */
export function guardedAdapter(
  { adapter, managesConnections }: AdapterTraits,
  pair: AnyPair,
  base: BaseAddress,
  agents: { readonly current: object },
): AxiosAdapter {
  return (config) => {
    // Only `AuthorizedRequest` attaches an address, after it has checked the request.
    if (!hasAddress(config)) return Promise.reject(interceptorMissing(pair));
    // The adapter that passes the request on may have changed its address, and the request has the token (S6).
    const refusal = refusalOf(base.addressOf(config), pair);
    if (refusal) return Promise.reject(refusal);
    // The agent was for the other adapter. This adapter makes its own connections.
    if (managesConnections && config.httpsAgent === privateAgentFor(agents.current)) delete config.httpsAgent;
    return adapter(config);
  };
}

/**
 * Sends every request of an instance as an `AuthorizedRequest`, whichever adapter the request has: also an adapter of a mock
 * library or of the caller (C3), and an adapter that other code sets after this interceptor (S7).
 */
export function registerAuthorization(
  instance: AxiosInstance,
  pair: AnyPair,
  request: AuthorizedRequest,
  guard: AxiosAdapter,
  ownTraits: AdapterTraits,
): InterceptorChain {
  const { defaults } = instance;
  const isGuard = (choice: Choice): boolean => !choice || choice === guard;
  /** @param shown the adapter that the config shows afterwards. A config that is sent again comes here again. */
  const sendingBy =
    (choice: Choice, agents: Agents, shown: Choice): AxiosAdapter =>
    (config) => {
      if (shown === undefined) delete config.adapter;
      else config.adapter = shown;
      const traits = isGuard(choice) ? ownTraits : traitsOf(choice, config);
      return request.send(config, traits, agents);
    };
  const defaultAdapter = sendingBy(guard, undefined, guard);
  const adapterFor = (choice: Choice, agents: Agents, defaultAgent?: unknown): AxiosAdapter => {
    if (agents === undefined) return isGuard(choice) ? defaultAdapter : sendingBy(choice, agents, choice);
    // If the config is sent again, axios adds the agent of the defaults again.
    const isAddedAgain = agents.httpsAgent === defaultAgent && agents.dispatcher === undefined;
    return sendingBy(choice, agents, isAddedAgain ? choice : adapterWithAgents(choice, agents));
  };
  const own = (config: Config): Config => {
    const withheld = withheldBy(config.adapter);
    const choice = withheld ? withheld.choice : config.adapter;
    const defaultAgent: unknown = defaults.httpsAgent;
    const agents = takeAgents(config, withheld?.agents, defaultAgent);
    config.adapter = adapterFor(choice, agents, defaultAgent);
    // The default transform does not change the adapter.
    if (!isDefaultForRequests(config.transformRequest))
      followTransforms(config, (other) => adapterFor(other, agents));
    return config;
  };
  return new InterceptorChain(instance, own, () => {
    throw interceptorMissing(pair);
  });
}

/** Transforms run after all interceptors, with the config as `this`. So a transform may set another adapter. */
function followTransforms(config: Config, adapterFor: (choice: Choice) => AxiosAdapter): void {
  const { adapter: ours, transformRequest } = config;
  config.transformRequest = [
    ...[transformRequest ?? []].flat(),
    function last(this: Config, data: unknown): unknown {
      // Results show only the transforms of the caller.
      if (transformRequest) this.transformRequest = transformRequest;
      else delete this.transformRequest;
      if (this.adapter !== ours) this.adapter = adapterFor(this.adapter);
      return data;
    },
  ];
}

function interceptorMissing(pair: AnyPair): TokenRequestError {
  return new TokenRequestError(pair, {
    code: 'TOKEN_UNAVAILABLE',
    transient: false,
    reason: 'the request came without the interceptor that attaches it.',
    remedy:
      'An instance made with axiosRef.create() has no such interceptor: send with axiosRef itself. If your code calls ' +
      'interceptors.request.clear(), remove your own interceptors with eject(id) instead, where id is what use() returned.',
  });
}
