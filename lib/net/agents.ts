import { Agent, type AgentOptions } from 'node:https';
import type { AxiosProxyConfig } from 'axios';
import { isObject, withoutInherited } from '../values/objects.js';
import { agentFlaw, type ConnectionFlaw } from './certificate-checks.js';
import { type ClientTls, MadeOfTls } from './client-tls.js';
import {
  endIdle,
  isPlainAgent,
  mayHaveOwnProxy,
  OwnAgent,
  retire,
  WITHOUT_PROXY_OF_NODE,
  withNameCheck,
} from './own-agent.js';
import { type Proxy, proxyFor } from './proxy.js';
import { TunnelAgent } from './tunnel.js';

/** As long as in Node's global agent. After a longer time, servers often close a connection just when it is used again. */
const IDLE_CONNECTION_MS = 5_000;

/** `rejectUnauthorized`, because `NODE_TLS_REJECT_UNAUTHORIZED` must not turn checks off (S9). */
const OWN: AgentOptions = {
  ...WITHOUT_PROXY_OF_NODE,
  keepAlive: true,
  timeout: IDLE_CONNECTION_MS,
  rejectUnauthorized: true,
};

export interface AgentSettings {
  readonly tls?: ClientTls | undefined;
  /** The name that the server's certificate must be for. @default the host of the address */
  readonly servername?: string | undefined;
  readonly httpsAgent?: object | undefined;
  readonly proxy?: AxiosProxyConfig | false | undefined;
  /** For token requests. A TLS session stands for the client certificate that began it, and Node does not compare certificates. */
  readonly withoutSessions?: boolean;
}

/** What one request says about its connection. */
export interface ConnectionChoice {
  readonly httpsAgent?: unknown;
  readonly proxy?: AxiosProxyConfig | false | null | undefined;
}

/** An agent of the application must not send a request, for example because it accepts any certificate. */
export class UnsafeAgentError extends Error {
  constructor(readonly flaw: ConnectionFlaw) {
    super(`The httpsAgent of this request is not safe (${flaw}).`);
  }
}

/**
 * The agents that send the requests of one client. An agent of the application leads to the headers of its open requests, so a
 * plain one only lends its settings, once. An agent of another class is used as it is.
 */
export class Agents {
  readonly #settings: AgentSettings;
  readonly #own: MadeOfTls<Connections>;
  readonly #toStrangers: Connections;
  readonly #lent = new WeakMap<object, Lent>();
  readonly #furtherOptions: AgentOptions;

  constructor(settings: AgentSettings) {
    this.#settings = settings;
    const { tls, servername, httpsAgent, withoutSessions = false } = settings;
    this.#furtherOptions = withoutSessions ? { maxCachedSessions: 0 } : {};
    const own = { ...OWN, ...this.#furtherOptions };
    this.#toStrangers = new Connections(own);
    const ofPair = (): Connections =>
      new Connections({
        ...own,
        ...(servername !== undefined && { servername }),
        ...(tls && { secureContext: tls.secureContext() }),
      });
    this.#own = new MadeOfTls(tls, ofPair, (old) => old.retire());
    if (httpsAgent !== undefined && !agentFlaw(httpsAgent)) this.#lend(httpsAgent);
  }

  /**
   * The agent for one request. Throws an `UnsafeAgentError` or a `ProxyError` if the request must not be sent.
   *
   * @param isUnderBase whether the address is under the base URL. Another server gets no client certificate: with an agent that shows
   * one, the engine follows no redirect to it.
   */
  agentFor(url: URL, choice: ConnectionChoice, isUnderBase: boolean): Agent {
    const { httpsAgent, proxy: ofCall } = withoutInherited(choice);
    const given = isObject(httpsAgent) ? httpsAgent : this.#settings.httpsAgent;
    const lent = given && (this.#lent.get(given) ?? this.#lend(given));
    if (lent?.isForeign) assertSafe(lent.agent);
    const proxy = proxyFor(url, {
      call: ofCall,
      options: this.#settings.proxy,
      hasForeignAgent: lent?.choosesProxy ?? false,
    });
    if (!isUnderBase && lent === undefined) return this.#toStrangers.by(proxy);
    if (lent?.isForeign && proxy === undefined) return lent.agent;
    return (lent?.connections ?? this.#own.current).by(proxy);
  }

  /** Ends idle connections at once, and those in use when their request has ended. Agents for later requests work. */
  retire(): void {
    this.#own.retire();
    for (const connections of this.#others) connections.retire();
  }

  /** Ends all idle connections but those of one agent. */
  endIdle(except?: Agent): void {
    for (const connections of [this.#own.current, ...this.#others]) connections.endIdle(except);
  }

  get #others(): Connections[] {
    const { httpsAgent } = this.#settings;
    const lent = httpsAgent && this.#lent.get(httpsAgent)?.connections;
    return lent ? [this.#toStrangers, lent] : [this.#toStrangers];
  }

  #lend(agent: object): Lent {
    assertSafe(agent);
    const isForeign = !isPlainAgent(agent);
    const connections =
      agent instanceof Agent ? new Connections({ ...optionsOf(agent), ...this.#furtherOptions }) : undefined;
    if (connections && !isForeign) destroyWith(agent, connections);
    const lent: Lent = {
      agent: agent as Agent,
      isForeign,
      choosesProxy: mayHaveOwnProxy(agent),
      connections,
    };
    this.#lent.set(agent, lent);
    return lent;
  }
}

/** An agent of the application, as it was at its first request. */
interface Lent {
  readonly agent: Agent;
  readonly isForeign: boolean;
  /** Whether the environment does not count, because the agent may have a proxy. */
  readonly choosesProxy: boolean;
  /** With the settings of the agent. Those of a subclass are used only by a proxy that is named. */
  readonly connections: Connections | undefined;
}

/** How many proxies have agents at the same time. */
const MOST_PROXIES = 8;

/** Agents with the same settings: one without a proxy, and one for each proxy and its credentials. */
class Connections {
  readonly #options: AgentOptions;
  #direct: Agent | undefined;
  readonly #tunnels = new Map<string, Agent>();

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  by(proxy: Proxy | undefined): Agent {
    if (proxy === undefined) return (this.#direct ??= new OwnAgent(this.#options));
    const name = `${proxy.url.href} ${proxy.authorization}`;
    const known = this.#tunnels.get(name);
    if (known !== undefined) return known;
    const [oldest] = this.#tunnels.keys();
    if (oldest !== undefined && this.#tunnels.size >= MOST_PROXIES) {
      retire(this.#tunnels.get(oldest) as Agent);
      this.#tunnels.delete(oldest);
    }
    const made = new TunnelAgent(proxy, this.#options);
    this.#tunnels.set(name, made);
    return made;
  }

  retire(): void {
    for (const agent of this.#all) retire(agent);
  }

  destroy(): void {
    for (const agent of this.#all) agent.destroy();
  }

  endIdle(except?: Agent): void {
    for (const agent of this.#all) if (agent !== except) endIdle(agent);
  }

  get #all(): Agent[] {
    return [...(this.#direct ? [this.#direct] : []), ...this.#tunnels.values()];
  }
}

function assertSafe(agent: object): void {
  const flaw = agentFlaw(agent);
  if (flaw) throw new UnsafeAgentError(flaw);
}

/** The limits are members too, which an application may set after it has made its agent. */
function optionsOf({ options, maxSockets, maxFreeSockets, maxTotalSockets }: Agent): AgentOptions {
  const { checkServerIdentity: check } = options;
  return {
    ...WITHOUT_PROXY_OF_NODE,
    ...options,
    maxSockets,
    maxFreeSockets,
    maxTotalSockets,
    rejectUnauthorized: true,
    ...(check && { checkServerIdentity: withNameCheck(check) }),
  };
}

/** The connections of an application's agent end when the application destroys it. */
function destroyWith(agent: Agent, connections: Connections): void {
  const destroyOwn = agent.destroy.bind(agent);
  const value = (): void => {
    connections.destroy();
    destroyOwn();
  };
  // A frozen agent cannot be changed. Then the connections end when they are idle.
  Reflect.defineProperty(agent, 'destroy', { value, configurable: true, writable: true });
}
