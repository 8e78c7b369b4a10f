import { describe, expect, it } from 'vitest';
import {
  type ObservedRequest,
  RequestObservers,
} from '../../../../lib/testing/simulator/request-observers.js';
import { ReceivedRequest } from '../../../support/http/received-request.js';
import { NOW, settled } from '../../../support/token/fake-clock.js';

function observed() {
  const seen: ObservedRequest[] = [];
  const observers = new RequestObservers(() => NOW);
  observers.add((request) => seen.push(request));
  return { observers, seen };
}

const NOTHING_KNOWN = {
  kind: 'api',
  interface: undefined,
  environment: undefined,
  account: undefined,
  path: '/x?y=1',
  reason: '',
  fault: undefined,
  refusedWith: [],
  isEarly: false,
};

describe('an observer of requests', () => {
  it('B25: gets each request with its answer when the answer has ended', async () => {
    const { observers, seen } = observed();
    const received = await ReceivedRequest.with({ method: 'PUT', path: '/x?y=1' });
    observers.begin(received.request, received.response, { kind: 'api' });
    received.response.writeHead(204);
    expect(seen).toEqual([]);
    received.response.end();
    await received.answer();
    expect(seen).toEqual([
      {
        ...NOTHING_KNOWN,
        at: new Date(NOW),
        method: 'PUT',
        status: 204,
        isComplete: true,
        durationMs: expect.any(Number),
      },
    ]);
    expect(seen[0]?.durationMs).toBeGreaterThanOrEqual(0);
    expect(seen[0]?.durationMs).toBeLessThan(60_000);
  });

  it('B25: gets what is known at the start, and what endpoints find out later', async () => {
    const { observers, seen } = observed();
    const { request, response } = await ReceivedRequest.with();
    observers.begin(request, response, { kind: 'token', interface: 'easy', path: '/own' });
    observers.note(request, { reason: 'unknown client id', account: 'merchant-42' });
    observers.note(request, { reason: 'token issued', fault: 7 });
    response.end();
    await settled();
    expect(seen).toMatchObject([
      {
        kind: 'token',
        interface: 'easy',
        path: '/own',
        reason: 'token issued',
        account: 'merchant-42',
        fault: 7,
      },
    ]);
  });

  it('B25: sees that a connection ended before the answer, or in the middle of the answer', async () => {
    const { observers, seen } = observed();
    const [unanswered, halfAnswered] = [await ReceivedRequest.with(), await ReceivedRequest.with()];
    for (const { request, response } of [unanswered, halfAnswered])
      observers.begin(request, response, { kind: 'api' });
    halfAnswered.response.write('half');
    unanswered.disconnect();
    halfAnswered.disconnect();
    await settled();
    expect(seen.map(({ status, isComplete }) => [status, isComplete])).toEqual([
      [undefined, false],
      [200, false],
    ]);
  });

  it('B25: is called as well as other observers', async () => {
    const { observers, seen } = observed();
    const others: string[] = [];
    observers.add(({ method }) => others.push(method));
    const { request, response } = await ReceivedRequest.with();
    observers.begin(request, response, { kind: 'api' });
    response.end();
    await settled();
    expect([seen.length, others]).toEqual([1, ['GET']]);
  });

  it('B25: sees no request that began before it was added', async () => {
    const observers = new RequestObservers(() => NOW);
    const { request, response } = await ReceivedRequest.with();
    const before = response.listenerCount('close');
    observers.begin(request, response, { kind: 'api' });
    expect(response.listenerCount('close')).toBe(before);
    const seen: ObservedRequest[] = [];
    observers.add((one) => seen.push(one));
    observers.note(request, { reason: 'valid token' });
    response.end();
    await settled();
    expect(seen).toEqual([]);
  });
});
