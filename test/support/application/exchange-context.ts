import { Server } from 'node:net';
import { vi } from 'vitest';
import type { Answer } from '../../../lib/testing/simulator/answer.js';
import { Exchange, type ExchangeContext } from '../../../lib/testing/simulator/exchange.js';
import { OpenSockets } from '../../../lib/testing/simulator/open-sockets.js';
import { RequestObservers } from '../../../lib/testing/simulator/request-observers.js';
import { Timers } from '../../../lib/testing/simulator/timers.js';
import { NOW } from '../token/fake-clock.js';
import { ReceivedRequest } from '../http/received-request.js';

/** A pair of the built-in provider. */
export const EASY = { interface: 'easy', environment: 'sandbox' };

/** The headers of an answer that the simulator makes itself. */
export const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** How Node's server ends the head of an answer that it has not finished. */
export const KEEP_ALIVE = 'Connection: keep-alive\r\n\r\n';

interface ManualTimer {
  readonly ms: number;
  readonly callback: () => void;
  readonly repeats: boolean;
}

/** Timers of the simulator that a test fires. */
class ManualTimers extends Timers {
  waiting: ManualTimer[] = [];

  override after(ms: number, callback: () => void): void {
    this.waiting.push({ ms, callback, repeats: false });
  }

  override every(ms: number, callback: () => void): () => void {
    const timer = { ms, callback, repeats: true };
    this.waiting.push(timer);
    return () => (this.waiting = this.waiting.filter((one) => one !== timer));
  }

  /** How long each timer waits. */
  get ms(): number[] {
    return this.waiting.map(({ ms }) => ms);
  }

  fire(): void {
    const fired = this.waiting;
    this.waiting = fired.filter(({ repeats }) => repeats);
    for (const { callback } of fired) callback();
  }
}

type Parts = ConstructorParameters<typeof Exchange<string, string>>[0];

/** An exchange of no endpoint. It keeps what its record gets. */
class SomeExchange extends Exchange<string, string> {
  readonly statuses: number[];

  constructor(
    { body, ...parts }: Omit<Parts, 'record'> & { readonly body: Buffer },
    private readonly answer: Answer,
  ) {
    const statuses: number[] = [];
    const record = {
      ...EASY,
      path: '/some',
      body,
      get status() {
        return statuses.at(-1);
      },
      set status(status) {
        if (status !== undefined) statuses.push(status);
      },
    };
    super({ ...parts, record });
    this.statuses = statuses;
  }

  regular(): Promise<Answer> {
    return Promise.resolve(this.answer);
  }
}

/** The simulator's timers, sockets and observers, controlled by the test. No reset reaches a socket. */
export function exchangeContext(given: Partial<ExchangeContext> = {}) {
  const now = given.now ?? (() => NOW);
  const sockets = new OpenSockets(new Server());
  const reset = vi.spyOn(sockets, 'reset').mockImplementation(() => undefined);
  const timers = new ManualTimers();
  const context = { sockets, timers, latencyMs: 0, now, observers: new RequestObservers(now), ...given };
  return { context, timers, reset };
}

/** A request that a server without a network has received, and its exchange. */
export async function someExchange(answer: Answer, { method = 'GET', body = Buffer.alloc(0) } = {}) {
  const received = await ReceivedRequest.with({ method });
  const { request, response } = received;
  // Every answer is then the same.
  response.sendDate = false;
  const { context, timers, reset } = exchangeContext();
  const exchange = new SomeExchange({ request, response, body, context }, answer);
  return { received, exchange, context, timers, reset };
}
