import { type AxiosAdapter, getAdapter, type InternalAxiosRequestConfig } from 'axios';
import { isObject } from '../../values/is-object.js';

type Choice = InternalAxiosRequestConfig['adapter'];

/** What a request says about its connections. Each leads to every request that is under way on it. */
export interface WithheldAgents {
  readonly httpsAgent?: object;
  /** Of `fetchOptions`: what undici calls an agent. */
  readonly dispatcher?: object;
}

interface Withheld {
  /** The adapter that the config had. */
  readonly choice: Choice;
  readonly agents: WithheldAgents;
}

/** By the adapter of a config: axios makes a new config of one that is sent again, but hands the adapter on as it is. */
const withheld = new WeakMap<AxiosAdapter, Withheld>();

/**
 * Takes the agents out of a config, which every result shows (B12). An agent for `http:` is dropped: nothing here goes
 * over it.
 *
 * @param before what was taken out of this config before.
 * @param usual what each config has that names no agent: this is no choice of the request.
 */
export function takeAgents(
  config: InternalAxiosRequestConfig,
  before?: WithheldAgents,
  usual?: unknown,
): WithheldAgents | undefined {
  let agents = before;
  const { httpsAgent, httpAgent, fetchOptions } = config as Connections;
  if (httpAgent !== undefined) delete config.httpAgent;
  if (isObject(httpsAgent)) {
    delete config.httpsAgent;
    if (agents?.httpsAgent === undefined || httpsAgent !== usual) agents = { ...agents, httpsAgent };
  }
  if (fetchOptions && isObject(fetchOptions.dispatcher)) {
    const { dispatcher, ...rest } = fetchOptions;
    config.fetchOptions = rest;
    agents = { ...agents, dispatcher };
  }
  return agents;
}

/** An adapter for a config whose agents were taken out: a config that is sent again gets them back. */
export function adapterWithAgents(choice: Choice, agents: WithheldAgents): AxiosAdapter {
  const adapter: AxiosAdapter = (config) => getAdapter(choice, config)(config);
  withheld.set(adapter, { choice, agents });
  return adapter;
}

export function withheldBy(adapter: Choice): Withheld | undefined {
  return typeof adapter === 'function' ? withheld.get(adapter) : undefined;
}

/** As axios reads them. */
interface Connections {
  readonly httpsAgent?: unknown;
  readonly httpAgent?: unknown;
  readonly fetchOptions?: { readonly dispatcher?: unknown } | null;
}
