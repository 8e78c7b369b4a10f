import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import tls, { type PeerCertificate } from 'node:tls';

/**
 * axios makes the tunnel through a proxy. Node can make one too (`NODE_USE_ENV_PROXY`, and nodejs/node#64528 would make this
 * the default), and that tunnel would run inside the other. `null` prevents it (B27). Versions of Node without this option
 * ignore it.
 */
export const WITHOUT_PROXY_OF_NODE: AgentOptions & { readonly proxyEnv: null } = { proxyEnv: null };

type OnConnection = Parameters<Agent['createConnection']>[1];

/**
 * Leaves out the callback that Node gives to `createConnection`. A TLS socket keeps that callback for its whole life, and the
 * callback keeps the first request of the socket: its token and its answer (observed in Node 22.23, 24 and 26, not in 20). Node
 * does not need the callback when the method returns the socket (B38). Only a tunnel that Node makes itself, for an agent with
 * `proxyEnv`, is ready later.
 */
export class OwnAgent extends Agent {
  override createConnection(
    options: RequestOptions,
    callback?: OnConnection,
  ): ReturnType<Agent['createConnection']> {
    const tunnels = Boolean(Reflect.get(this.options, 'proxyEnv'));
    return super.createConnection(options, tunnels ? calledOnce(callback) : undefined);
  }
}

/** Calls a function once, and holds it no longer. */
function calledOnce(callback: OnConnection): OnConnection {
  return (...result) => {
    const call = callback;
    callback = undefined;
    call?.(...result);
  };
}

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

/** Methods that an application may set on its agent, so that the agent connects in another way. */
const HOOKS = ['addRequest', 'createConnection', 'createSocket', 'getName', 'keepSocketAlive', 'reuseSocket'];

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

/** Ends idle connections at once. Connections in use end with their request. */
export function retire(agent: Agent): void {
  agent.maxFreeSockets = 0;
  endIdle(agent);
}

export function endIdle(agent: Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
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

/** Whether an agent is an instance of Node's own class or of ours, not of another subclass, and has no method of its application. */
export function isPlainAgent(agent: object): agent is Agent {
  const prototype: unknown = Object.getPrototypeOf(agent);
  return (
    (prototype === Agent.prototype || prototype === OwnAgent.prototype) &&
    !HOOKS.some((hook) => Object.hasOwn(agent, hook))
  );
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

type NameCheck = (host: string, certificate: PeerCertificate) => Error | undefined;

/**
 * Node calls a function of the application that refuses certificates, and skips its own check. This function runs both: the
 * certificate must always be for the name of the host (S9).
 */
export function withNameCheck(check: NameCheck): NameCheck {
  return (host, certificate) => tls.checkServerIdentity(host, certificate) ?? check(host, certificate);
}
