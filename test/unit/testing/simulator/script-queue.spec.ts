import { describe, expect, it } from 'vitest';
import type { AnyExchange } from '../../../../lib/testing/simulator/exchange.js';
import { type Scope, ScriptQueue } from '../../../../lib/testing/simulator/script-queue.js';

const exchange = (path = '/payments', name = 'easy', environment = 'sandbox'): AnyExchange =>
  ({ interface: name, environment, path }) as object as AnyExchange;

const nothing = (): void => undefined;

/** A queue with a script of each scope. */
function queueOf(...scopes: Scope[]): ScriptQueue<AnyExchange> {
  const queue = new ScriptQueue<AnyExchange>();
  for (const scope of scopes) queue.add({ scope, action: nothing });
  return queue;
}

/** The scopes of the scripts for the next `count` requests. */
function taken(queue: ScriptQueue<AnyExchange>, count: number): (Scope | undefined)[] {
  return Array.from({ length: count }, () => queue.take(exchange())?.scope);
}

describe('a queue of scripts', () => {
  it('is empty until it has a script, and after it is cleared', () => {
    const queue = queueOf();
    expect([queue.isEmpty, queue.take(exchange())]).toEqual([true, undefined]);
    for (const scope of [{}, { times: 1 }]) {
      queue.add({ scope, action: nothing });
      expect(queue.isEmpty).toBe(false);
      queue.clear();
      expect([queue.isEmpty, queue.waiting]).toEqual([true, []]);
    }
  });

  it('gives the newest script without a number, any number of times', () => {
    expect(taken(queueOf({ afterMs: 1 }, { afterMs: 2 }), 3)).toEqual([
      { afterMs: 2 },
      { afterMs: 2 },
      { afterMs: 2 },
    ]);
  });

  it('gives scripts with a number first, in the order of their creation', () => {
    const [one, two, standing] = [{ times: 1 }, { times: 2 }, { afterMs: 1 }];
    const queue = queueOf(standing, one, { times: 0 }, { times: -1 }, two);
    expect(taken(queue, 5)).toEqual([one, two, two, standing, standing]);
  });

  it('keeps the action, and gives each script its own number', () => {
    const [one, other] = [queueOf({}), queueOf({ times: 2 })];
    const [first, second] = [one.take(exchange()), other.take(exchange())];
    expect(first?.action).toBe(nothing);
    expect(second?.id).toBe(Number(first?.id) + 1);
  });

  it('shows what waits, with what is left of it', () => {
    const queue = queueOf({ afterMs: 1 }, { times: 3 });
    const { id } = queue.waiting[0]!;
    queue.take(exchange());
    expect(queue.waiting).toMatchObject([
      { id, scope: { times: 3 }, left: 2 },
      { id: id - 1, scope: { afterMs: 1 } },
    ]);
    expect(queue.waiting[1]).not.toHaveProperty('left');
  });

  it('removes one script, and says whether it still waited', () => {
    const queue = queueOf({ afterMs: 1 }, { times: 1 }, { times: 2 }, { afterMs: 2 });
    const ids = queue.waiting.map(({ id }) => id);
    expect([queue.remove(ids[0]!), queue.remove(ids[2]!), queue.remove(ids[0]!)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(queue.waiting.map(({ scope }) => scope)).toEqual([{ times: 2 }, { afterMs: 1 }]);
  });

  it.each<[scope: Scope, asked: AnyExchange, isTaken: boolean]>([
    [{ interface: 'easy' }, exchange(), true],
    [{ interface: 'originations' }, exchange(), false],
    [{ environment: 'sandbox' }, exchange(), true],
    [{ environment: 'production' }, exchange(), false],
    [{ interface: 'easy', environment: 'production' }, exchange(), false],
    [{ path: '/payments' }, exchange(), true],
    [{ path: '/payments' }, exchange('/payments?page=2'), true],
    [{ path: '/payments' }, exchange('/payments/7'), false],
    [{ path: '/payments' }, exchange('/old/payments?page=2'), false],
    [{ path: '/' }, exchange(), false],
    [{ path: '/' }, exchange('/?page=2'), true],
    [{ path: /\?state=open$/ }, exchange('/x?state=open'), true],
    [{ path: /^\/payments/ }, exchange(), true],
    [{ path: /^\/refunds/ }, exchange(), false],
    [{ interface: 'easy', environment: 'sandbox', path: '/payments' }, exchange(), true],
  ])('with a script for %j takes it only for a matching request', (scope, asked, isTaken) => {
    expect(queueOf(scope).take(asked) !== undefined).toBe(isTaken);
    expect(queueOf({ ...scope, times: 1 }).take(asked) !== undefined).toBe(isTaken);
  });

  it('finds the same path again with a global expression', () => {
    const queue = queueOf({ path: /pay/g });
    expect(taken(queue, 2).filter((scope) => scope !== undefined)).toHaveLength(2);
  });

  it('leaves a script with a number for the requests that it is for', () => {
    const scope = { interface: 'originations', times: 1 };
    const queue = queueOf(scope);
    expect(taken(queue, 2)).toEqual([undefined, undefined]);
    expect(queue.take(exchange('/', 'originations'))?.scope).toBe(scope);
    expect(queue.isEmpty).toBe(true);
  });
});
