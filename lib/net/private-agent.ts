import type { Agent, AgentOptions } from 'node:https';
import { isPlainAgent, OwnAgent, retire, WITHOUT_PROXY_OF_NODE, withNameCheck } from './own-agent.js';

export {
  endIdle,
  isPlainAgent,
  OwnAgent,
  retire,
  WITHOUT_PROXY_OF_NODE,
  withNameCheck,
} from './own-agent.js';

/** As long as in Node's global agent. After a longer time, servers often close a connection just when it is used again. */
const IDLE_CONNECTION_MS = 5_000;

/** Members of an agent other than its `options`. An application may change both at any time. */
const SETTINGS = [
  'keepAlive',
  'keepAliveMsecs',
  'maxSockets',
  'maxFreeSockets',
  'maxTotalSockets',
  'maxCachedSessions',
  'scheduling',
] as const;

/**
 * For each agent of an application its copy. An agent that `privateAgent` made has itself as its value here; a copy has no
 * key here.
 */
const privateAgents = new WeakMap<object, Agent>();
/** Of token requests. Calls that use up the agent's `maxSockets` must not keep the token from being renewed. */
const agentsForTokens = new WeakMap<object, Agent>();
/** The hops of a redirect use the copy of the request. */
const copies = new WeakSet<object>();

/**
 * An agent that only this package holds. An agent leads to the headers of its open requests, and of those that opened its
 * idle sockets (B12).
 */
export function privateAgent(options: AgentOptions = {}): Agent {
  const agent = new OwnAgent({
    ...options,
    ...WITHOUT_PROXY_OF_NODE,
    keepAlive: true,
    rejectUnauthorized: true,
  });
  setTimeoutOf(agent.options, IDLE_CONNECTION_MS);
  privateAgents.set(agent, agent);
  return agent;
}

/**
 * The agent that sends a request instead of the application's agent, with the same settings and limits. An agent of another
 * class cannot be copied, so that agent itself is returned.
 */
export function privateAgentFor(agent: object, use: 'api' | 'token' = 'api'): object {
  const known = use === 'api' ? privateAgents : agentsForTokens;
  let made = known.get(agent);
  if (made === agent || copies.has(agent) || !isPlainAgent(agent)) return agent;
  if (made === undefined) {
    known.set(agent, (made = new OwnAgent(optionsOf(agent))));
    copies.add(made);
    destroyWith(agent, made);
  }
  updateFrom(made, agent);
  // A TLS session stands for the client certificate that began it, and Node does not compare certificates (B32).
  if (use === 'token') Object.assign(made, { maxCachedSessions: 0 });
  return made;
}

function destroyWith(agent: Agent, made: Agent): void {
  const destroyOwn = agent.destroy.bind(agent);
  // A frozen agent cannot be changed. Then the connections end when they are idle.
  Reflect.defineProperty(agent, 'destroy', {
    value: (): void => {
      made.destroy();
      destroyOwn();
    },
    configurable: true,
    writable: true,
  });
}

/** Whether `privateAgent` made an agent, whose settings no other code can change. */
export function isPrivateAgent(agent: object): boolean {
  return privateAgents.get(agent) === agent;
}

export function retirePrivateAgentFor(agent: Agent): void {
  for (const known of [privateAgents, agentsForTokens]) {
    const made = known.get(agent);
    if (made !== undefined) retire(made);
  }
}

/** Copies the settings of an agent again, because the application may have changed them since the last request. */
function updateFrom(made: Agent, agent: Agent): void {
  const target = made as unknown as Record<string, unknown>;
  const source = agent as unknown as Record<string, unknown>;
  for (const name of SETTINGS) target[name] = source[name];
  made.options = optionsOf(agent);
}

function optionsOf({ options }: Agent): AgentOptions {
  const own = Object.assign(Object.create(null) as AgentOptions, WITHOUT_PROXY_OF_NODE, options);
  const { checkServerIdentity: check } = own;
  own.rejectUnauthorized = true;
  setTimeoutOf(own, options.timeout);
  if (check !== undefined) own.checkServerIdentity = withNameCheck(check);
  return own;
}

/**
 * How long a connection may be idle. Not enumerable, so that axios does not copy it to the agent that makes its tunnels. There
 * it would be the time limit for a tunnel (agent-base 6), and a tunnel that comes later has no listener for its errors: they
 * would end the process (B36).
 */
function setTimeoutOf(options: AgentOptions, ms: number | undefined): void {
  Object.defineProperty(options, 'timeout', {
    __proto__: null,
    value: ms,
    enumerable: false,
    configurable: true,
  } as PropertyDescriptor);
}
