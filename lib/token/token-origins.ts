import type { Agent } from 'node:https';
import { Agents, type AgentSettings } from '../net/agents.js';
import type { Clock, Deadline } from '../time/clock.js';
import { aborted, onAbort } from '../values/abortable.js';

/** How many token requests an application sends to one origin at the same time. */
const MOST_AT_ONCE = 32;

type Kind = 'own' | 'account';

/** The token origins of an application. All pairs and accounts of all providers with the same origin share what it has. */
export class TokenOrigins {
  readonly #known = new Map<string, TokenOrigin>();

  constructor(private readonly clock: Clock) {}

  of(tokenUrl: string): TokenOrigin {
    const { origin } = new URL(tokenUrl);
    const known = this.#known.get(origin) ?? new TokenOrigin(this.clock);
    this.#known.set(origin, known);
    return known;
  }
}

/** For applications whose pairs have neither `tls` nor an agent. */
const NO_AGENT = {};

/**
 * The connections to one origin, and the places of its token requests. Without a limit, thousands of accounts without a token would
 * all connect at the same moment. The request that has waited longest is next. A connection is kept only while further requests
 * wait: until the next renewal the server would close it anyway.
 */
export class TokenOrigin {
  /** For each `tls` of a pair, or each application without one. Requests with another `tls` must not use its connections. */
  readonly #agents = new Map<object, Agents>();
  readonly #taken: Record<Kind, number> = { own: 0, account: 0 };
  readonly #waiting: Record<Kind, Set<() => void>> = { own: new Set(), account: new Set() };
  #pairs = 0;

  constructor(private readonly clock: Clock) {}

  /**
   * Accounts leave one place free for each pair, so the request for a pair's own token never waits for theirs. Accounts always
   * have one place. So only from 32 pairs on, all without a token, may one of them wait for one account.
   */
  addPair(): void {
    this.#pairs += 1;
  }

  /**
   * For a request that starts now. Idle connections that it cannot use end, so there are not more connections than places. Throws
   * if the agent of the application is not safe, or if the proxy cannot be used.
   */
  agentFor(url: URL, { tls, servername, httpsAgent, proxy }: AgentSettings): Agent {
    const key = tls ?? httpsAgent ?? NO_AGENT;
    const agents =
      this.#agents.get(key) ?? new Agents({ tls, servername, httpsAgent, proxy, withoutSessions: true });
    this.#agents.set(key, agents);
    const agent = agents.agentFor(url, {}, true);
    this.endIdle(agent);
    return agent;
  }

  endIdle(except?: Agent): void {
    for (const agents of this.#agents.values()) agents.endIdle(except);
  }

  slot(kind: Kind, ends: Deadline): Slot {
    const enter = (signal?: AbortSignal): Promise<void> => this.#enter(kind, signal);
    return new Slot(this.clock, ends, enter, () => this.#leave(kind));
  }

  /** Resolves when there is a place. Rejects when the signal aborts first. */
  #enter(kind: Kind, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return aborted(signal);
    const waiting = this.#waiting[kind];
    return new Promise((resolve) => {
      const unsubscribe =
        signal &&
        onAbort(signal, () => {
          waiting.delete(start);
          resolve(aborted(signal));
        });
      const start = (): void => {
        waiting.delete(start);
        unsubscribe?.();
        this.#taken[kind] += 1;
        resolve();
      };
      waiting.add(start);
      this.#startNext();
    });
  }

  #leave(kind: Kind): void {
    this.#taken[kind] -= 1;
    const { own, account } = this.#waiting;
    if (own.size + account.size === 0) this.endIdle();
    else this.#startNext();
  }

  /** Called for each place and each request that comes, so at most one request can start. */
  #startNext(): void {
    const { own, account } = this.#taken;
    if (own + account >= MOST_AT_ONCE) return;
    const mayBeAccount = this.#waiting.own.size === 0 && account < Math.max(1, MOST_AT_ONCE - this.#pairs);
    const [next] = mayBeAccount ? this.#waiting.account : this.#waiting.own;
    next?.();
  }
}

/**
 * The place of one renewal. It is taken before each claim and each attempt, and given back before each wait that is not for an
 * answer. The wait for it is no part of the time of the renewal.
 */
export class Slot {
  #ends: Deadline;
  #isTaken = false;

  constructor(
    private readonly clock: Clock,
    ends: Deadline,
    private readonly enter: (signal?: AbortSignal) => Promise<void>,
    private readonly leave: () => void,
  ) {
    this.#ends = ends;
  }

  /** What is left for the renewal. No attempt begins that could end later. */
  get remainingMs(): number {
    return this.#ends.remaining(this.clock);
  }

  /** Returns how long the renewal has waited. */
  async take(signal: AbortSignal | undefined): Promise<number> {
    if (this.#isTaken) return 0;
    const since = this.clock.monotonic();
    await this.enter(signal);
    this.#isTaken = true;
    const waitedMs = this.clock.monotonic() - since;
    this.#ends = this.#ends.plus(waitedMs);
    return waitedMs;
  }

  giveBack(): void {
    if (this.#isTaken) this.leave();
    this.#isTaken = false;
  }
}
