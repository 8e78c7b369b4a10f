import { describe, expect, it, vi } from 'vitest';
import { ApiExchange } from '../../../../lib/testing/simulator/api-exchange.js';
import { ApiRequestRecord } from '../../../../lib/testing/simulator/records.js';
import type { ObservedRequest } from '../../../../lib/testing/simulator/request-observers.js';
import { runScript } from '../../../../lib/testing/simulator/run-script.js';
import type { Action } from '../../../../lib/testing/simulator/script-queue.js';
import { exchangeContext } from '../../../support/application/exchange-context.js';
import { ReceivedRequest } from '../../../support/http/received-request.js';
import { settled } from '../../../support/token/fake-clock.js';

type Kind = ApiExchange<string, string>;

async function givenExchange(latencyMs = 0) {
  const received = await ReceivedRequest.with();
  const { request, response } = received;
  const { context, timers } = exchangeContext({ latencyMs });
  const body = Buffer.alloc(0);
  const record = new ApiRequestRecord(
    {
      interface: undefined,
      environment: undefined,
      at: new Date(),
      method: 'GET',
      path: '/',
      headers: {},
      body,
    },
    undefined,
  );
  const refusal = { status: 418, headers: {}, body: 'regular' };
  const exchange: Kind = new ApiExchange({
    request,
    response,
    context,
    record,
    refusal,
    terms: undefined,
  });
  return { received, exchange, context, timers, record };
}

const script = (action: Action<Kind>, scope: { afterMs?: number } = {}, id = 7) => ({ id, scope, action });

describe('a request', () => {
  it('gets the regular answer if there is no script', async () => {
    const { received, exchange } = await givenExchange();
    runScript(exchange, undefined);
    expect(await received.answer()).toMatchObject({ status: 418, body: 'regular' });
  });

  it('gets the answer of its script, whose number an observer sees', async () => {
    const { received, exchange, context, record } = await givenExchange();
    const seen: ObservedRequest[] = [];
    context.observers.add((one) => seen.push(one));
    context.observers.begin(received.request, received.response, { kind: 'api' });
    runScript(
      exchange,
      script(({ response }) => void response.writeHead(207, { 'content-length': 4 }).end('mine')),
    );
    expect(await received.answer()).toMatchObject({ status: 207, body: 'mine' });
    expect([seen[0]?.fault, record.status]).toEqual([7, 207]);
  });

  it.each<[what: string, latencyMs: number, afterMs: number | undefined, waits: number[]]>([
    ['the latency', 5, undefined, [5]],
    ['the delay of its script', 0, 7, [7]],
    ['both', 5, 7, [12]],
  ])('waits for %s', async (_, latencyMs, afterMs, waits) => {
    const { received, exchange, timers } = await givenExchange(latencyMs);
    runScript(
      exchange,
      script((one) => one.sendRegular(), afterMs === undefined ? {} : { afterMs }),
    );
    await settled();
    expect([timers.ms, received.response.headersSent]).toEqual([waits, false]);
    timers.fire();
    expect(await received.answer()).toMatchObject({ status: 418 });
  });

  it('waits for no timer without a latency and a delay', async () => {
    const { received, exchange, timers } = await givenExchange();
    runScript(exchange, undefined);
    await received.answer();
    expect(timers.ms).toEqual([]);
  });

  it('waits for the latency if there is no script', async () => {
    const { received, exchange, timers } = await givenExchange(5);
    runScript(exchange, undefined);
    expect(timers.ms).toEqual([5]);
    timers.fire();
    expect(await received.answer()).toMatchObject({ status: 418 });
  });
});

describe('a script that fails', () => {
  it('is shown in the answer, without the headers that it had set', async () => {
    const { received, exchange, record } = await givenExchange();
    runScript(
      exchange,
      script(({ response }) => {
        response.setHeader('content-encoding', 'gzip').setHeader('trailer', 'mood');
        response.statusMessage = 'Odd';
        return Promise.reject(new TypeError('written in haste'));
      }),
    );
    const { body, ...rest } = await received.answer();
    expect(rest).toEqual({
      status: 500,
      reason: 'Internal Server Error',
      headers: {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'content-length': String(body.length),
      },
    });
    expect(JSON.parse(body)).toEqual({
      error: 'simulator_script_failed',
      error_description: expect.stringMatching(/^TypeError: written in haste\n {4}at /),
    });
    expect(record.status).toBe(500);
  });

  it('is shown in the same way as a regular answer that fails', async () => {
    const { received, exchange } = await givenExchange();
    vi.spyOn(exchange, 'sendRegular').mockRejectedValue(new TypeError('no such key'));
    runScript(exchange, undefined);
    const { status, body } = await received.answer();
    expect(status).toBe(500);
    expect(JSON.parse(body)).toMatchObject({ error_description: expect.stringContaining('no such key') });
  });

  it('ends the connection if it has begun an answer', async () => {
    const { received, exchange, record } = await givenExchange();
    runScript(
      exchange,
      script(({ response }) => {
        response.writeHead(200, { 'content-length': '9' }).write('half');
        throw new Error('written in haste');
      }),
    );
    await settled();
    expect(received.response.destroyed).toBe(true);
    expect(await received.sent()).not.toContain('haste');
    expect(record.status).toBe(200);
  });
});
