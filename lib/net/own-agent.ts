import { AsyncResource } from 'node:async_hooks';
import type { ClientRequest } from 'node:http';
import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import tls, { type PeerCertificate } from 'node:tls';
import { Openings } from './openings.js';

/**
 * Node can make the tunnel through a proxy (`NODE_USE_ENV_PROXY`, and nodejs/node#64528 would make this the default), and that
 * tunnel would run inside ours. `null` prevents it. Versions of Node without this option ignore it.
 */
export const WITHOUT_PROXY_OF_NODE: AgentOptions & { readonly proxyEnv: null } = { proxyEnv: null };

type OnConnection = Parameters<Agent['createConnection']>[1];

type OnSocket = (error: Error | null, socket?: Socket) => void;
type CreateSocket = (request: ClientRequest, options: RequestOptions, done: OnSocket) => void;
type AddRequest = (request: ClientRequest, options: RequestOptions) => void;

/** Methods of Node's agents that the types leave out. */
const createSocket = Reflect.get(Agent.prototype, 'createSocket') as CreateSocket;
const addRequest = Reflect.get(Agent.prototype, 'addRequest') as AddRequest;

/** A request that needs a connection, and waits while too many are being opened. */
interface Waiting {
  readonly request: ClientRequest;
  /** Asks the agent again, in the async context of the request. */
  readonly askAgain: () => void;
}

/**
 * Leaves out the callback that Node gives to `createConnection`. A TLS socket keeps that callback for its whole life, and the
 * callback keeps the first request of the socket: its token and its answer (observed in Node 22.23, 24 and 26, not in 20). Node
 * does not need the callback when the method returns the socket. Only a tunnel that Node makes itself, for an agent with
 * `proxyEnv`, is ready later.
 *
 * Opens at most 64 connections at once. A request that waits takes the first connection that becomes free, or may be opened.
 */
export class OwnAgent extends Agent {
  readonly #openings = new Openings<Waiting>((waiting) => this.#admit(waiting));
  #admitted: Waiting | undefined;

  constructor(options?: AgentOptions) {
    super(options);
    // After Node's own listener, which has kept the connection for the next request.
    this.on('free', () => this.#openings.next()?.askAgain());
  }

  override createConnection(
    options: RequestOptions,
    callback?: OnConnection,
  ): ReturnType<Agent['createConnection']> {
    return super.createConnection(options, makesTunnels(this) ? calledOnce(callback) : undefined);
  }

  /** Node calls this method for a request for which no connection is free. */
  createSocket(request: ClientRequest, options: RequestOptions, done: OnSocket): void {
    // Another connection has closed, and this one takes its place: Node gives it to the first request of Node's queue.
    if (Object.values(this.requests).some((queue) => queue?.includes(request)))
      return this.openSocket(request, options, done);
    const admitted = this.#admitted;
    if (admitted?.request === request) {
      this.#admitted = undefined;
      this.#watch(admitted);
      return this.openSocket(request, options, done);
    }
    const askAgain = AsyncResource.bind(() => {
      Reflect.deleteProperty(request, 'destroy');
      addRequest.call(this, request, options);
    });
    const waiting = { request, askAgain };
    request.destroy = (error) => {
      this.#openings.remove(waiting);
      Reflect.deleteProperty(request, 'destroy');
      return fail(request, error);
    };
    this.#openings.add(waiting);
  }

  /** Opens a connection for a request. A socket keeps these options for its whole life, so they have no headers with a token. */
  protected openSocket(request: ClientRequest, options: RequestOptions, done: OnSocket): void {
    createSocket.call(this, request, { ...options, headers: undefined }, done);
  }

  #admit(waiting: Waiting): void {
    this.#admitted = waiting;
    try {
      waiting.askAgain();
    } catch (error) {
      // Another request's event may have led here, and that request has not failed.
      fail(waiting.request, error as Error);
    }
    if (this.#admitted !== waiting) return;
    // A connection has become free, or the agent has as many connections as it may have.
    this.#admitted = undefined;
    this.#openings.opened(waiting);
  }

  /**
   * The first of these events gives the place back, so that a mock that opens no connection keeps none. A tunnel that Node has made
   * is connected when it is given: a listener that waits for more would keep the request as long as the socket lives.
   */
  #watch(waiting: Waiting): void {
    const { request } = waiting;
    let socket: Socket | undefined;
    const opened = (): void => {
      socket?.off('secureConnect', opened);
      this.#openings.opened(waiting);
    };
    request.once('socket', (given: Socket) => (socket = given).once('secureConnect', opened));
    for (const event of ['response', 'error', 'close']) request.once(event, opened);
  }
}

/** Node emits no event if a request without a socket is destroyed. */
function fail(request: ClientRequest, error?: Error): ClientRequest {
  request.destroy(error);
  request.onSocket(null as unknown as Socket);
  return request;
}

/** Whether Node makes tunnels for an agent. */
function makesTunnels({ options }: Agent): boolean {
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

/** Whether an agent may have its own proxy. Then the environment does not choose the proxy. */
export function mayHaveOwnProxy(agent: object): boolean {
  return !isPlainAgent(agent) || makesTunnels(agent);
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
