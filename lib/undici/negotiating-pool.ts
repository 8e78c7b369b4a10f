import { AsyncResource } from 'node:async_hooks';
import { setImmediate } from 'node:timers';
import type { buildConnector, Client, Dispatcher } from 'undici';
import { CountedHandler } from './counted-handler.js';
import { undici } from './undici.js';

/** Requests under way at once on one HTTP/2 connection; a server may say less. */
const STREAMS = 100;

type Connected = Parameters<buildConnector.connector>[1];
type Send = (member: Member) => void;

interface Member {
  readonly client: Client;
  /** How many requests it takes at once: one, until its connection turns out to speak HTTP/2. */
  capacity: number;
  running: number;
}

interface Limits {
  readonly connections: number;
  readonly connector: buildConnector.connector;
  readonly client: Client.Options;
}

/**
 * Clients for a server that may speak HTTP/2.
 *
 * Workaround: before the protocol is known, undici's own pool makes one connection for each request (nodejs/undici#4143,
 * fixed by #5799 in undici 8). When a client is removed from that pool, the pool never sends the requests that wait in it,
 * and never closes. `test/e2e/undici/transport.spec.ts` ("speak HTTP/2 …") and `goaway.spec.ts` fail with the pool of
 * undici 7.30.2 and pass with that of 8.12.4: this class can go when the peer range begins with undici 8.
 */
export class NegotiatingPool {
  readonly #origin: string;
  readonly #limits: Limits;
  readonly #members = new Set<Member>();
  #waiting: Send[] = [];
  /** What the last connection turned out to speak. */
  #speaks: 'h2' | 'http/1.1' | undefined;
  #connecting = 0;
  /** Once the pool is closed: says so, in undici's words, to whoever still comes. */
  #over: Member | undefined;
  #served: (() => void) | undefined;

  constructor(origin: string, limits: Limits) {
    this.#origin = origin;
    this.#limits = limits;
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const send: Send = (member) => {
      member.running += 1;
      const counted = new CountedHandler(handler, () => {
        member.running -= 1;
        // Later: undici is in the middle of ending it, and may be about to say that the whole connection has ended.
        if (this.#waiting.length > 0) setImmediate(() => this.#sendWaiting());
      });
      // Says to undici that a request may share a connection with others; it repeats none by itself.
      member.client.dispatch({ ...request, idempotent: true }, counted);
    };
    const member = this.#over ?? (this.#waiting.length > 0 ? undefined : this.#free());
    if (member) send(member);
    // Sent by whoever makes room, but in the context of its own caller: tracing goes by that.
    else this.#waiting.push(AsyncResource.bind(send));
  }

  /** Whoever waits is still served. */
  async close(): Promise<void> {
    this.#over = this.#createMember();
    void this.#over.client.close();
    if (this.#waiting.length > 0) await new Promise<void>((resolve) => (this.#served = resolve));
    await Promise.all([...this.#members].map(({ client }) => client.close()));
  }

  async destroy(): Promise<void> {
    const over = (this.#over ??= this.#createMember());
    const destroyed = [over, ...this.#members].map(({ client }) => client.destroy());
    // Before room is made for them.
    for (const send of this.#waiting.splice(0)) send(over);
    await Promise.all(destroyed);
  }

  /** As long as HTTP/2 is to be hoped for, one connection at a time is made: it may have room for all. */
  #free(evenBesideAnother = this.#speaks === 'http/1.1'): Member | undefined {
    for (const member of this.#members) if (member.running < member.capacity) return member;
    if (this.#members.size >= this.#limits.connections) return undefined;
    if (this.#connecting > 0 && !evenBesideAnother) return undefined;
    const member = this.#createMember();
    this.#members.add(member);
    return member;
  }

  #sendWaiting(evenBesideAnother?: boolean): void {
    while (this.#waiting.length > 0) {
      const member = this.#free(evenBesideAnother);
      if (member === undefined) return;
      this.#waiting.shift()?.(member);
    }
    this.#served?.();
  }

  #createMember(): Member {
    const { client: options, connector } = this.#limits;
    const connect: buildConnector.connector = (where, connected: Connected) => {
      this.#connecting += 1;
      connector(where, (...outcome) => {
        this.#connecting -= 1;
        const isConnected = !outcome[0];
        if (isConnected) {
          this.#speaks = isH2(outcome[1]) ? 'h2' : 'http/1.1';
          member.capacity = this.#speaks === 'h2' ? STREAMS : 1;
          member.client.pipelining = member.capacity;
        }
        connected(...outcome);
        // Where none can be made, nobody waits for another's attempt: each learns it from their own.
        this.#sendWaiting(isConnected ? undefined : true);
      });
    };
    const client = new undici.Client(this.#origin, { ...options, connect, maxConcurrentStreams: STREAMS });
    const member: Member = { client, capacity: 1, running: 0 };
    client.on('disconnect', (_, __, error) => {
      if (member.capacity > 1) this.#retire(member, error);
    });
    return member;
  }

  /**
   * Workaround: when the server ends an HTTP/2 connection (`GOAWAY`), a client of undici 7 counts its requests wrongly.
   * Later requests on that client are reset before they are sent, or wait for ever (nodejs/undici#5089 and #5468; seen
   * with 7.30.2, not with 8.12.4). So later requests get a new client. `test/e2e/undici/goaway.spec.ts` shows it.
   */
  #retire(member: Member, error: Error): void {
    if (!this.#members.delete(member)) return;
    member.client.destroy(error).catch(() => undefined);
    this.#sendWaiting();
  }
}

function isH2(socket: object | null): boolean {
  return socket !== null && 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
}
