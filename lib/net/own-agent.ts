import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import tls, { type PeerCertificate } from 'node:tls';

/**
 * Node can make the tunnel through a proxy (`NODE_USE_ENV_PROXY`, and nodejs/node#64528 would make this the default), and that
 * tunnel would run inside ours. `null` prevents it. Versions of Node without this option ignore it.
 */
export const WITHOUT_PROXY_OF_NODE: AgentOptions & { readonly proxyEnv: null } = { proxyEnv: null };

type OnConnection = Parameters<Agent['createConnection']>[1];

/**
 * Leaves out the callback that Node gives to `createConnection`. A TLS socket keeps that callback for its whole life, and the
 * callback keeps the first request of the socket: its token and its answer (observed in Node 22.23, 24 and 26, not in 20). Node
 * does not need the callback when the method returns the socket. Only a tunnel that Node makes itself, for an agent with
 * `proxyEnv`, is ready later.
 */
export class OwnAgent extends Agent {
  override createConnection(
    options: RequestOptions,
    callback?: OnConnection,
  ): ReturnType<Agent['createConnection']> {
    return super.createConnection(options, makesTunnels(this) ? calledOnce(callback) : undefined);
  }
}

/** Whether Node makes tunnels for an agent. */
export function makesTunnels({ options }: Agent): boolean {
  return Boolean(Reflect.get(options, 'proxyEnv'));
}

/** Calls a function once, and holds it no longer. */
function calledOnce(callback: OnConnection): OnConnection {
  return (...result) => {
    const call = callback;
    callback = undefined;
    call?.(...result);
  };
}

/** Methods that an application may set on its agent, so that the agent connects in another way. */
const HOOKS = ['addRequest', 'createConnection', 'createSocket', 'getName', 'keepSocketAlive', 'reuseSocket'];

/** Whether an agent is an instance of Node's own class or of ours, not of another subclass, and has no method of its application. */
export function isPlainAgent(agent: object): agent is Agent {
  const prototype: unknown = Object.getPrototypeOf(agent);
  return (
    (prototype === Agent.prototype || prototype === OwnAgent.prototype) &&
    !HOOKS.some((hook) => Object.hasOwn(agent, hook))
  );
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

type NameCheck = (host: string, certificate: PeerCertificate) => Error | undefined;

/**
 * Node calls a function of the application that refuses certificates, and skips its own check. This function runs both: the
 * certificate must always be for the name of the host (S9).
 */
export function withNameCheck(check: NameCheck): NameCheck {
  return (host, certificate) => tls.checkServerIdentity(host, certificate) ?? check(host, certificate);
}
