import { Agent, type AgentOptions } from 'node:https';
import { withNameCheck } from './name-check.js';
import { WITHOUT_PROXY_OF_NODE } from './own-agent-options.js';

/** As Node's own global agent: longer, and servers close the connection just when it is used again. */
const IDLE_CONNECTION_MS = 5_000;

/** What an agent holds beside its `options`; an application may change both at any time. */
const SETTINGS = [
  'keepAlive',
  'keepAliveMsecs',
  'maxSockets',
  'maxFreeSockets',
  'maxTotalSockets',
  'maxCachedSessions',
  'scheduling',
] as const;

/** What an application may put on an agent of its own to make it connect in another way. */
const HOOKS = ['addRequest', 'createConnection', 'createSocket', 'getName', 'keepSocketAlive', 'reuseSocket'];

/** The private agent for each agent of an application, and each private agent for itself. */
const privateAgents = new WeakMap<object, Agent>();

/**
 * An agent that only this package holds. Code that reaches an agent reaches the headers of every request under way on it,
 * and those of the requests that opened its idle sockets (B12).
 */
export function privateAgent(options: AgentOptions = {}): Agent {
  const agent = new Agent({
    ...options,
    ...WITHOUT_PROXY_OF_NODE,
    keepAlive: true,
    timeout: IDLE_CONNECTION_MS,
    rejectUnauthorized: true,
  });
  privateAgents.set(agent, agent);
  return agent;
}

/**
 * The agent that carries a request in place of an application's own: made in the same way, with the same limits, and held
 * only by this package. An agent of another class cannot be made a second time; it goes as it is.
 */
export function privateAgentFor(agent: object): object {
  let made = privateAgents.get(agent);
  if (made === agent || !isPlainAgent(agent)) return agent;
  if (made === undefined) {
    privateAgents.set(agent, (made = new Agent(optionsOf(agent))));
    destroyWith(agent, made);
  }
  return follow(made, agent);
}

/** The application ends the connections of its agent by `agent.destroy()`, and these were made for it. */
function destroyWith(agent: Agent, made: Agent): void {
  const destroyOwn = agent.destroy.bind(agent);
  // A frozen agent stays as it is: the connections then end when they are idle.
  Reflect.defineProperty(agent, 'destroy', {
    value: (): void => {
      made.destroy();
      destroyOwn();
    },
    configurable: true,
    writable: true,
  });
}

/** Ends idle connections at once, and those in use when their request has ended. */
export function retire(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}

/** Whether an agent is made by this package: no other code can change its settings. */
export function isPrivateAgent(agent: object): boolean {
  return privateAgents.get(agent) === agent;
}

/** Retires the private agent in place of an application's own, if there is one. */
export function retirePrivateAgentFor(agent: Agent): void {
  const made = privateAgents.get(agent);
  if (made !== undefined) retire(made);
}

/** Whether an agent is of the class of Node itself, and does nothing in a way of its own. */
export function isPlainAgent(agent: object): agent is Agent {
  return (
    Object.getPrototypeOf(agent) === Agent.prototype && !HOOKS.some((hook) => Object.hasOwn(agent, hook))
  );
}

/** Takes over what the application has changed since the last request. */
function follow(made: Agent, agent: Agent): Agent {
  const target = made as unknown as Record<string, unknown>;
  const source = agent as unknown as Record<string, unknown>;
  for (const name of SETTINGS) target[name] = source[name];
  made.options = optionsOf(agent);
  return made;
}

function optionsOf({ options }: Agent): AgentOptions {
  const own = Object.assign(Object.create(null) as AgentOptions, WITHOUT_PROXY_OF_NODE, options);
  const { checkServerIdentity: check } = own;
  own.rejectUnauthorized = true;
  if (check !== undefined) own.checkServerIdentity = withNameCheck(check);
  return own;
}
