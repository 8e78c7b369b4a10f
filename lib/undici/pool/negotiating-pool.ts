import { AsyncResource } from 'node:async_hooks';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import type { buildConnector, Client, Dispatcher } from 'undici';
import { systemClock } from '../../time/clock.js';
import { undici } from './undici.js';

/** Requests under way at once on one HTTP/2 connection. A server may allow fewer. */
const STREAMS = 100;

/**
 * An HTTP/2 connection on which requests fail after a longer silence gets no more. Calls that are cancelled earlier say
 * nothing about it. If an API is slow, this costs one connection in this time, where HTTP/1.1 loses one for each call.
 */
const SILENCE_MS = 500;

type Connected = Parameters<buildConnector.connector>[1];
type Send = (member: Member) => void;

/** What an `UndiciExchange` gives to undici, and to this pool. */
export type Handler = Required<
  Pick<
    Dispatcher.DispatchHandler,
    'onRequestStart' | 'onResponseStart' | 'onResponseData' | 'onResponseEnd' | 'onResponseError'
  >
> & {
  /** Whether the call has ended meanwhile: its request needs no connection. */
  readonly isOver: boolean;
  /** Called if the server has not processed the request because of others that are under way. */
  dispatchAgain(): void;
};

interface Member {
  readonly client: Client;
  /** Requests at once: one, until its connection turns out to speak HTTP/2. */
  capacity: number;
  running: number;
  /** Only of a connection that speaks HTTP/2. */
  socket: Socket | null;
  /** What the server had sent when the last request began, and when the first request began after that. */
  bytesRead: number | undefined;
  silentSince: number;
}

interface Limits {
  readonly connections: number;
  readonly connector: buildConnector.connector;
  readonly client: Client.Options;
}

/**
 * Clients for a server that may speak HTTP/2.
 *
 * Workaround: before undici 8.12.0, undici's own `Pool` opens one connection for each request while the protocol is not known
 * (nodejs/undici#4143, fixed by #5799 in 8.11.0), and if a client leaves that pool, the requests that wait are never sent
 * (observed in 7.30.2 to 8.11.2). `test/e2e/undici/transport.spec.ts` and `test/e2e/undici/goaway.spec.ts` show both. undici
 * exports no version to choose by, so this class serves every version. Remove it when the peer range begins with 8.12.0.
 */
export class NegotiatingPool {
  readonly #members = new Set<Member>();
  /** Members that get no more requests, until the requests that they have end. */
  readonly #leaving = new Set<Member>();
  readonly #waiting: { handler: Handler; send: Send }[] = [];
  #protocol: 'h2' | 'http/1.1' | undefined;
  #connecting = 0;
  /** Set when the pool is closed. Every later request goes to this closed client and fails with undici's own error. */
  #closedMember: Member | undefined;
  #allSent: (() => void) | undefined;

  constructor(
    private readonly origin: string,
    private readonly limits: Limits,
  ) {}

  dispatch(request: Dispatcher.DispatchOptions, handler: Handler): void {
    const send: Send = (member) => {
      member.running += 1;
      const bytesRead = member.socket?.bytesRead;
      if (bytesRead !== member.bytesRead) {
        member.bytesRead = bytesRead;
        member.silentSince = systemClock.monotonic();
      }
      const ended = (error?: Error): boolean => {
        member.running -= 1;
        // If no other request is under way, the server refuses this one for another reason.
        const areTooMany = isRefusedStream(error) && member.running > 0 && !this.#closedMember;
        if (areTooMany) member.capacity = member.running;
        // The server may take more again.
        else if (!error && member.socket && member.capacity < STREAMS) member.capacity += 1;
        // A call that times out only resets its stream. If the connection is dead, all later calls would time out too.
        else if (error && isSilent(member)) this.#leave(member);
        // undici is still ending this request, and may report next that the connection has ended. So this waits a tick.
        if (this.#waiting.length > 0) setImmediate(() => this.#sendWaiting());
        return areTooMany;
      };
      // Workaround: without `idempotent`, undici sends a POST over HTTP/2 only when no other request is under way
      // (nodejs/undici#5390, fixed by #5391 in 8.5.0). undici repeats no request because of it. Without it
      // `test/e2e/undici/given-up.spec.ts` fails on 7.30.2. Remove it with this class.
      member.client.dispatch({ ...request, idempotent: true }, counted(handler, ended));
    };
    const member = this.#closedMember ?? (this.#waiting.length > 0 ? undefined : this.#findOrCreateMember());
    if (member) send(member);
    // The end of another request sends this request. Tracing needs the async context of the caller of this request.
    else this.#waiting.push({ handler, send: AsyncResource.bind(send) });
  }

  async close(): Promise<void> {
    this.#closedMember = this.#createMember();
    void this.#closedMember.client.close();
    if (this.#waiting.length > 0) await new Promise<void>((resolve) => (this.#allSent = resolve));
    // A client that is leaving may end meanwhile. Then undici rejects.
    await Promise.allSettled([...this.#members, ...this.#leaving].map(({ client }) => client.close()));
  }

  async destroy(): Promise<void> {
    const closedMember = (this.#closedMember ??= this.#createMember());
    const destroyed = [closedMember, ...this.#members, ...this.#leaving].map(({ client }) =>
      client.destroy(),
    );
    // Before the destroyed clients have room for these requests.
    for (const { send } of this.#waiting.splice(0)) send(closedMember);
    await Promise.all(destroyed);
  }

  /** While the server may speak HTTP/2, the pool opens one connection at a time: it may have room for all requests. */
  #findOrCreateMember(mayConnectInParallel = this.#protocol === 'http/1.1'): Member | undefined {
    for (const member of this.#members)
      // undici reports a lost connection a little later.
      if (member.running < member.capacity && member.socket?.destroyed !== true) return member;
    if (this.#members.size >= this.limits.connections) return undefined;
    if (this.#connecting > 0 && !mayConnectInParallel) return undefined;
    const member = this.#createMember();
    this.#members.add(member);
    return member;
  }

  #sendWaiting(mayConnectInParallel?: boolean): void {
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      const { isOver } = next.handler;
      const member = isOver ? undefined : this.#findOrCreateMember(mayConnectInParallel);
      if (!isOver && !member) return;
      this.#waiting.shift();
      if (member) next.send(member);
    }
    this.#allSent?.();
  }

  #createMember(): Member {
    const { client: options, connector } = this.limits;
    const connect: buildConnector.connector = (where, connected: Connected) => {
      this.#connecting += 1;
      const done: Connected = (...outcome) => {
        this.#connecting -= 1;
        const isConnected = !outcome[0];
        if (isConnected) {
          this.#protocol = isH2(outcome[1]) ? 'h2' : 'http/1.1';
          member.capacity = this.#protocol === 'h2' ? STREAMS : 1;
          member.client.pipelining = member.capacity;
          member.socket = this.#protocol === 'h2' ? outcome[1] : null;
        }
        connected(...outcome);
        // Each of the calls of an outage has made a member. Later, each of them would open a connection.
        if (!isConnected) this.#leave(member);
        // If no connection can be made, each request tries separately, and fails with the error of that attempt.
        this.#sendWaiting(isConnected ? undefined : true);
      };
      try {
        connector(where, done);
      } catch (error) {
        // A `lookup` of the application may throw. Later, as after any attempt: each request that waits may fail the same way.
        setImmediate(done, error as Error, null);
      }
    };
    const client = new undici.Client(this.origin, { ...options, connect, maxConcurrentStreams: STREAMS });
    const member: Member = {
      client,
      capacity: 1,
      running: 0,
      socket: null,
      bytesRead: undefined,
      silentSince: 0,
    };
    client.on('disconnect', (_, __, error) => {
      if (member.socket) this.#retire(member, error);
    });
    return member;
  }

  /** The requests of the member may go on: an API may be slow. Its client closes when they have ended. */
  #leave(member: Member): void {
    // Those that are leaving do not count as connections, so there are at most as many again.
    if (this.#leaving.size >= this.limits.connections || !this.#members.delete(member)) return;
    this.#leaving.add(member);
    const closed = (): unknown => this.#leaving.delete(member);
    member.client.close().then(closed, closed);
  }

  /**
   * Workaround: after `GOAWAY`, a client of undici 7 resets later requests before they are sent, or never sends them. Later
   * requests get a new client (nodejs/undici#5089 and #5468; fixed in 8.2.0 and 8.6.0). Without this method
   * `test/e2e/undici/goaway.spec.ts` fails on 7.30.2, 8.0.0 and 8.5.0, and passes on 8.9.0. Remove it with this class.
   */
  #retire(member: Member, error: Error): void {
    if (!this.#members.delete(member) && !this.#leaving.delete(member)) return;
    member.client.destroy(error).catch(() => undefined);
    this.#sendWaiting();
  }
}

/** Whether a server that speaks HTTP/2 has sent nothing since the last request began, and for too long. */
function isSilent({ socket, bytesRead, silentSince }: Member): boolean {
  return (
    socket !== null && socket.bytesRead === bytesRead && systemClock.monotonic() - silentSince > SILENCE_MS
  );
}

export function isH2(socket: object | null): boolean {
  return socket !== null && 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
}

/**
 * The server has not processed the request: RFC 9113, section 8.7. undici 7 sends more at once than the server allows, because it
 * does not wait for its settings (nodejs/undici#5134).
 */
function isRefusedStream(error: Error | undefined): boolean {
  return error?.message.startsWith('Stream closed with error code NGHTTP2_REFUSED_STREAM') === true;
}

/** The same handler, which also says once when its request has ended. `ended` returns whether it goes out again. */
function counted(handler: Handler, ended: (error?: Error) => boolean): Dispatcher.DispatchHandler {
  let hasAnswer = false;
  let hasEnded = false;
  const end = (error?: Error): boolean => {
    const goesOutAgain = !hasEnded && ended(error);
    hasEnded = true;
    return goesOutAgain && !hasAnswer;
  };
  return {
    onRequestStart: (...args) => handler.onRequestStart(...args),
    onResponseStart(...args) {
      hasAnswer = true;
      handler.onResponseStart(...args);
    },
    onResponseData: (...args) => handler.onResponseData(...args),
    onResponseEnd(...args) {
      handler.onResponseEnd(...args);
      end();
    },
    onResponseError(controller, error) {
      if (end(error)) handler.dispatchAgain();
      else handler.onResponseError(controller, error);
    },
  };
}
