import { Agent, type AgentOptions } from 'node:https';
import { WITHOUT_PROXY_OF_NODE } from '../config/own-agent-options.js';

/** As Node's own global agent: longer, and servers close the connection just when it is used again. */
const IDLE_CONNECTION_MS = 5_000;

/**
 * An agent that nobody else holds: whoever reaches an agent reaches the headers of every request under way on it, and
 * those of the requests that opened its idle sockets (B12).
 */
export function privateAgent(options: AgentOptions = {}): Agent {
  return new Agent({
    ...options,
    ...WITHOUT_PROXY_OF_NODE,
    keepAlive: true,
    timeout: IDLE_CONNECTION_MS,
    rejectUnauthorized: true,
  });
}

/** Ends idle connections at once, and those in use when their request has ended. */
export function retire(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}
