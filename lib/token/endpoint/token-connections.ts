import type { Agent } from 'node:https';
import type { ClientTls } from '../../net/client-tls.js';
import { MadeOfTls } from '../../net/made-of-tls.js';
import { endIdle, privateAgent, privateAgentFor, retire } from '../../net/private-agent.js';
import type { Transport } from '../../net/pollution.js';

/**
 * The connections to one token origin. Each is kept only while further token requests wait: until the next renewal the server
 * would close it anyway.
 */
export class TokenConnections {
  /** For each `tls` of a pair. Requests with another `tls` must not use its connections. */
  readonly #own = new Map<ClientTls | undefined, MadeOfTls<Agent>>();
  readonly #used = new Set<Agent>();

  /**
   * For a request that starts now. Idle connections that it cannot use end, so there are not more connections than places.
   *
   * @param httpsAgent the agent of the application. The application can reach that agent, and from there the request with the
   * client secret (B12), so the request gets a copy. An agent of another class keeps connections as it likes.
   */
  agentFor(tls: ClientTls | undefined, httpsAgent: object | undefined): object {
    if (httpsAgent === undefined) return this.#use(this.#ownFor(tls).current);
    const agent = privateAgentFor(httpsAgent, 'token');
    return agent === httpsAgent ? agent : this.#use(agent as Agent);
  }

  /** A transport whose requests use no connection again. */
  onlyNew(transport: Transport): Transport {
    return {
      request: (...request) => {
        this.endIdle();
        return transport.request(...request);
      },
    };
  }

  endIdle(except?: Agent): void {
    for (const agent of this.#used) if (agent !== except) endIdle(agent);
  }

  #use(agent: Agent): Agent {
    this.endIdle(agent);
    this.#used.add(agent);
    return agent;
  }

  #ownFor(tls: ClientTls | undefined): MadeOfTls<Agent> {
    const known = this.#own.get(tls) ?? new MadeOfTls(tls, createAgent, (old) => this.#retire(old));
    this.#own.set(tls, known);
    return known;
  }

  #retire(old: Agent): void {
    retire(old);
    this.#used.delete(old);
  }
}

/** Without TLS sessions: a session stands for the client certificate that began it, and Node does not compare certificates (B32). */
function createAgent(): Agent {
  return privateAgent({ maxCachedSessions: 0 });
}
