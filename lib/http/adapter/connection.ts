import { type AxiosAdapter, getAdapter, type InternalAxiosRequestConfig } from 'axios';
import {
  acceptsAnyCertificate,
  agentLeadsElsewhere,
  type ConnectionFlaw,
  insistsOnCertificates,
  leavesCertificatesUnchecked,
  replacesNameCheck,
} from '../../net/certificate-checks.js';
import { dispatchersOfProcess, settingsOfDispatcher } from '../../net/dispatcher-settings.js';
import { hasAny, isObject } from '../../values/is-object.js';
import type { AdapterTraits } from './adapter-traits.js';

type Choice = InternalAxiosRequestConfig['adapter'];

/** The agents of a request. Each of them leads to every request that is open on the agent. */
export interface WithheldAgents {
  readonly httpsAgent?: object;
  /** Of `fetchOptions`: undici calls its agents dispatchers. */
  readonly dispatcher?: object;
}

export interface ConnectionSettings {
  readonly httpsAgent?: unknown;
  readonly httpVersion?: unknown;
  readonly http2Options?: unknown;
  /** Of `fetchOptions`. */
  readonly dispatcher?: unknown;
  /** Whether a request without a dispatcher uses the connections of the whole process. */
  readonly usesProcess?: boolean;
}

interface Withheld {
  readonly choice: Choice;
  readonly agents: WithheldAgents;
}

/** The key is the adapter of a config: if a config is sent again, axios makes a new config, but keeps the adapter. */
const withheld = new WeakMap<AxiosAdapter, Withheld>();

/**
 * Takes the agents out of a config, because every result shows the config (B12). An agent for `http:` is dropped.
 *
 * @param before the agents that were taken out of this config before.
 * @param defaultAgent the agent of the defaults: a config that has this agent did not choose an agent.
 */
export function takeAgents(
  config: InternalAxiosRequestConfig,
  before?: WithheldAgents,
  defaultAgent?: unknown,
): WithheldAgents | undefined {
  // Without a prototype: no agent comes from a polluted one (B36).
  let agents = before;
  const { httpsAgent, httpAgent, fetchOptions } = config as {
    readonly httpsAgent?: unknown;
    readonly httpAgent?: unknown;
    readonly fetchOptions?: { readonly dispatcher?: unknown } | null;
  };
  if (httpAgent !== undefined) delete config.httpAgent;
  if (isObject(httpsAgent)) {
    delete config.httpsAgent;
    if (agents?.httpsAgent === undefined || httpsAgent !== defaultAgent)
      agents = { __proto__: null, ...agents, httpsAgent } as WithheldAgents;
  }
  if (fetchOptions && isObject(fetchOptions.dispatcher)) {
    const { dispatcher, ...rest } = fetchOptions;
    config.fetchOptions = rest;
    agents = { __proto__: null, ...agents, dispatcher } as WithheldAgents;
  }
  return agents;
}

/** An adapter for a config without its agents. If the config is sent again, the agents are found by this adapter. */
export function adapterWithAgents(choice: Choice, agents: WithheldAgents): AxiosAdapter {
  const adapter: AxiosAdapter = (config) => getAdapter(choice, config)(config);
  withheld.set(adapter, { choice, agents });
  return adapter;
}

export function withheldBy(adapter: Choice): Withheld | undefined {
  return typeof adapter === 'function' ? withheld.get(adapter) : undefined;
}

/**
 * The configuration is checked at boot, but a request may bring its own settings, and agents and the environment may change.
 *
 * @param defaultAgent the agent for a request that names no agent.
 */
export function connectionFlaw(
  settings: ConnectionSettings,
  traits: AdapterTraits,
  defaultAgent: object,
): ConnectionFlaw | 'hidden' | undefined {
  const { http2Options } = settings;
  const httpsAgent = settings.httpsAgent ?? (traits.managesConnections ? undefined : defaultAgent);
  const shown = dispatchersOf(settings).map(settingsOfDispatcher);
  const ofDispatcher = shown.flatMap((one) => one ?? []);
  const ofRequest = [http2Options, ...ofDispatcher];
  if ([httpsAgent, ...ofRequest.map((options) => ({ options }))].some(acceptsAnyCertificate))
    return 'any-server';
  if (leavesCertificatesUnchecked(process.env) && !insists(settings, traits, defaultAgent))
    return 'any-server';
  if (shown.includes(undefined)) return 'hidden';
  if (replacesNameCheck(httpsAgent) || ofRequest.some((options) => hasAny(options, ['checkServerIdentity'])))
    return 'unchecked-name';
  const isElsewhere =
    agentLeadsElsewhere(httpsAgent) ||
    hasAny(http2Options, HTTP2_TARGETS) ||
    ofDispatcher.some((options) => hasAny(options, ['path', 'socketPath']));
  return isElsewhere ? 'elsewhere' : undefined;
}

/** Settings for HTTP/2 that replace the address, or make the connection themselves. */
const HTTP2_TARGETS = ['host', 'port', 'path', 'servername', 'socket', 'createConnection'];

function dispatchersOf({ dispatcher, usesProcess }: ConnectionSettings): unknown[] {
  if (dispatcher !== undefined) return [dispatcher];
  return usesProcess === true ? dispatchersOfProcess() : [];
}

/** Whether certificates are checked in any case. True for an unknown adapter, which may be a stub without a connection. */
function insists(
  { httpsAgent, httpVersion, http2Options }: ConnectionSettings,
  traits: AdapterTraits,
  defaultAgent: object,
): boolean {
  if (traits.kind === 'fetch') return false;
  if (Number(httpVersion ?? 1) === 2) return insistsOnCertificates({ options: http2Options });
  if (httpsAgent !== undefined) return insistsOnCertificates(httpsAgent);
  return traits.kind === 'other' || traits.managesConnections || insistsOnCertificates(defaultAgent);
}

/** Whether a hop of a redirect would accept the certificate of any server, after a hook may have changed its options. */
export function hopAcceptsAnyServer(options: Record<string, unknown>): boolean {
  const agent = agentOfHop(options);
  if ([{ options }, options['agent'], agent].some(acceptsAnyCertificate)) return true;
  return leavesCertificatesUnchecked(process.env) && ![{ options }, agent].some(insistsOnCertificates);
}

/** The agent that makes the hop: axios puts this agent into `agents`, where follow-redirects looks first. */
export function agentOfHop(options: Record<string, unknown>): unknown {
  const { agent, agents } = options;
  return (isObject(agents) ? Reflect.get(agents, 'https') : undefined) ?? agent;
}

const HOST = 'host';

/**
 * Whether a `Host` header names another host than the base URL. Node checks the certificate against that header, so another
 * site at the same address could receive the token.
 */
export function namesAnotherHost(
  { headers }: Pick<InternalAxiosRequestConfig, 'headers'>,
  host: string,
): boolean {
  for (const name of Object.keys(headers)) {
    if (name.length !== HOST.length || name.toLowerCase() !== HOST) continue;
    const value: unknown = headers[name];
    if (Boolean(value) && String(value).toLowerCase() !== host) return true;
  }
  return false;
}
