import type { Agent } from 'node:https';
import { Agents, type AgentSettings } from '../../net/agents.js';

/**
 * The connections to one token origin. Each is kept only while further token requests wait: until the next renewal the server
 * would close it anyway.
 */
export class TokenConnections {
  /** For each `tls` of a pair, or each application without one. Requests with another `tls` must not use its connections. */
  readonly #agents = new Map<object, Agents>();

  /**
   * For a request that starts now. Idle connections that it cannot use end, so there are not more connections than places. Throws
   * if the agent of the application is not safe, or if the proxy cannot be used.
   */
  agentFor(url: URL, settings: AgentSettings): Agent {
    const agent = this.#agentsFor(settings).agentFor(url, {}, true);
    this.endIdle(agent);
    return agent;
  }

  endIdle(except?: Agent): void {
    for (const agents of this.#agents.values()) agents.endIdle(except);
  }

  #agentsFor({ tls, servername, httpsAgent, proxy }: AgentSettings): Agents {
    const key = tls ?? httpsAgent ?? NO_AGENT;
    const known =
      this.#agents.get(key) ?? new Agents({ tls, servername, httpsAgent, proxy, withoutSessions: true });
    this.#agents.set(key, known);
    return known;
  }
}

const NO_AGENT = {};
