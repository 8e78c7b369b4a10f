import axios, {
  type AxiosAdapter,
  type AxiosInstance,
  type AxiosInterceptorManager,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios';
import type { AnyPair } from '../catalogue/catalogue.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import { type BaseAddress, hasAddress } from '../net/base-address.js';
import { privateAgentFor } from '../net/private-agent.js';
import { type AdapterTraits, traitsOf } from './adapter/adapter-traits.js';
import { adapterWithAgents, takeAgents, withheldBy, type WithheldAgents } from './adapter/connection.js';
import { refusalOf } from './attempt.js';
import type { AuthorizedRequest } from './authorized-request.js';
import {
  type ApplicationInterceptors,
  type OwnHandler,
  type RequestHandler,
  runsInReverse,
  withLast,
} from './express/intercepted-call.js';

type Config = InternalAxiosRequestConfig;
type Choice = Config['adapter'];

/** The only transform that axios itself has by default. This transform does not change the adapter. */
const DEFAULT_TRANSFORM = [axios.defaults.transformRequest].flat()[0];

/**
 * The default adapter of a client: it sends what `AuthorizedRequest` has checked, and refuses everything else. So a client
 * without its interceptors sends nothing, instead of a request without a token (S7). A mock adapter that passes a request on
 * to the previous adapter still works.
 *
 * @param agent the agent that a request got on its way through another adapter.
 */
export function guardedAdapter(
  { adapter, managesConnections }: AdapterTraits,
  pair: AnyPair,
  base: BaseAddress,
  agent: object,
): AxiosAdapter {
  return (config) => {
    // Only `AuthorizedRequest` attaches an address, after it has checked the request.
    if (!hasAddress(config)) return Promise.reject(interceptorRemoved(pair));
    // The adapter that passes the request on may have changed its address, and the request has the token (S6).
    const refusal = refusalOf(base.addressOf(config), pair);
    if (refusal) return Promise.reject(refusal);
    // The agent was for the other adapter. This adapter makes its own connections.
    if (managesConnections && config.httpsAgent === privateAgentFor(agent)) delete config.httpsAgent;
    return adapter(config);
  };
}

/**
 * Sends every request as an `AuthorizedRequest`, whichever adapter the request has: also an adapter of a mock library or of
 * the caller (C3), and an adapter that other code sets after this interceptor (S7).
 */
export class AuthorizationInterceptor {
  readonly #request: AuthorizedRequest;
  readonly #guard: AxiosAdapter;
  readonly #traits: AdapterTraits;
  readonly #defaultAdapter: AxiosAdapter;

  constructor(request: AuthorizedRequest, guard: AxiosAdapter, traits: AdapterTraits) {
    this.#request = request;
    this.#guard = guard;
    this.#traits = traits;
    this.#defaultAdapter = this.#sendingBy(guard, undefined, guard);
  }

  registerOn(instance: AxiosInstance): ApplicationInterceptors {
    const { defaults, interceptors } = instance;
    const others = registerLast(interceptors.request, (config) => {
      const withheld = withheldBy(config.adapter);
      const choice = withheld ? withheld.choice : config.adapter;
      const defaultAgent: unknown = defaults.httpsAgent;
      const agents = takeAgents(config, withheld?.agents, defaultAgent);
      config.adapter = this.#adapterFor(choice, agents, defaultAgent);
      if (!isDefault(config.transformRequest)) this.#followTransforms(config, agents);
      return config;
    });
    return { ...others, response: () => handlersOf(interceptors.response) };
  }

  /** Sends the config of an ordinary call, as `express/ordinary-call.ts` has just found it. */
  sendOrdinary(config: Config): Promise<AxiosResponse> {
    return this.#request.sendOrdinary(config, this.#traits);
  }

  /** The same for a serialised config of which it is not known whether it is ordinary. */
  checkAndSend(config: Config): Promise<AxiosResponse> {
    return this.#request.send(config, this.#traits);
  }

  #adapterFor(choice: Choice, agents: WithheldAgents | undefined, defaultAgent?: unknown): AxiosAdapter {
    if (agents === undefined)
      return this.#isGuard(choice) ? this.#defaultAdapter : this.#sendingBy(choice, agents, choice);
    // If the config is sent again, axios adds the agent of the defaults again.
    const isAddedAgain = agents.httpsAgent === defaultAgent && agents.dispatcher === undefined;
    return this.#sendingBy(choice, agents, isAddedAgain ? choice : adapterWithAgents(choice, agents));
  }

  /** @param shown the adapter that the config shows afterwards. A config that is sent again comes here again. */
  #sendingBy(choice: Choice, agents: WithheldAgents | undefined, shown: Choice): AxiosAdapter {
    return (config) => {
      if (shown === undefined) delete config.adapter;
      else config.adapter = shown;
      const traits = this.#isGuard(choice) ? this.#traits : traitsOf(choice, config);
      return this.#request.send(config, traits, agents);
    };
  }

  #isGuard(choice: Choice): boolean {
    return !choice || choice === this.#guard;
  }

  /** Transforms run after all interceptors, with the config as `this`. So a transform may set another adapter. */
  #followTransforms(config: Config, agents: WithheldAgents | undefined): void {
    const { adapter: ours, transformRequest } = config;
    const adapterFor = (choice: Choice): AxiosAdapter => this.#adapterFor(choice, agents);
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
}

function isDefault(transforms: Config['transformRequest']): boolean {
  return Array.isArray(transforms) && transforms.length === 1 && transforms[0] === DEFAULT_TRANSFORM;
}

function interceptorRemoved(pair: AnyPair): TokenRequestError {
  return new TokenRequestError(pair, {
    code: 'TOKEN_UNAVAILABLE',
    transient: false,
    reason: 'the interceptor that attaches it was removed from axiosRef.',
    remedy: 'Remove your own interceptors with eject(id) instead of clear().',
  });
}

type Interceptor = (config: Config) => Config;

interface Visited {
  forEach(visit: (handler: RequestHandler) => void): void;
}

/** The interceptors of a manager. Undefined if other code has replaced its list. */
function handlersOf(manager: object): readonly RequestHandler[] | undefined {
  const { handlers } = manager as { handlers?: unknown };
  if (!Array.isArray(handlers)) return undefined;
  // axios keeps null in the place of an interceptor that was removed.
  const kept = handlers as (RequestHandler | null)[];
  return kept.includes(null) ? kept.filter((handler) => handler !== null) : (kept as RequestHandler[]);
}

/**
 * Registers a request interceptor that runs after all others, in both orders of axios. By default the first registered
 * interceptor runs last. If `transitional.legacyInterceptorReqResOrdering` is off, or is missing in a `transitional`, the last
 * registered interceptor runs last. So axios gets this interceptor at both ends of the list, once for each order.
 *
 * @returns this interceptor, and those that run before.
 */
export function registerLast(
  manager: AxiosInterceptorManager<Config>,
  interceptor: Interceptor,
): Pick<ApplicationInterceptors, 'own' | 'request'> {
  manager.use(interceptor);
  const handlerFor = (runWhen: RequestHandler['runWhen']): OwnHandler => {
    return { fulfilled: interceptor, rejected: thrownAgain, synchronous: true, runWhen };
  };
  const first = handlerFor(runsInReverse);
  const last = handlerFor((config) => !runsInReverse(config));
  const visited = manager as unknown as Visited;
  const visitAll = visited.forEach.bind(manager);
  const visitInOrder: Visited['forEach'] = (visit) => {
    const others: RequestHandler[] = [];
    let isRegistered = false;
    visitAll((handler) => {
      if (handler.fulfilled === interceptor) isRegistered = true;
      else others.push(handler);
    });
    // If other code removes the interceptor, it is removed from both ends.
    if (isRegistered) visit(first);
    for (const handler of others) visit(isRegistered ? withLast(handler, interceptor) : handler);
    if (isRegistered) visit(last);
  };
  visited.forEach = visitInOrder;
  return {
    own: handlerFor(null),
    request() {
      const handlers = visited.forEach === visitInOrder ? handlersOf(manager) : undefined;
      if (handlers?.length === 1 && handlers[0]?.fulfilled === interceptor) return NONE;
      const others = handlers?.filter(({ fulfilled }) => fulfilled !== interceptor);
      return others?.length === handlers?.length ? undefined : others;
    },
  };
}

function thrownAgain(error: unknown): never {
  throw error;
}

const NONE: readonly RequestHandler[] = [];
