import { describe, expect, it, vi } from 'vitest';
import type { Answer } from '../../../../lib/testing/simulator/answer.js';
import { breakOff, drip, flood, raw } from '../../../../lib/testing/simulator/faults.js';
import { KEEP_ALIVE, someExchange } from '../../../support/application/exchange-context.js';
import { settled } from '../../../support/token/fake-clock.js';

const REGULAR: Answer = { status: 200, headers: { 'x-mood': 'tea' }, body: '{"a":1}' };

async function givenExchange(method = 'GET') {
  const given = await someExchange(REGULAR, { method });
  return { ...given, end: vi.spyOn(given.exchange.socket, 'end') };
}

const HEAD = 'HTTP/1.1 200 OK\r\nx-mood: tea\r\n';

describe('an answer that breaks off', () => {
  it('with a reset before it begins', async () => {
    const { received, exchange, reset, end } = await givenExchange();
    await breakOff(exchange, 'reset', 'before-headers');
    expect(reset.mock.calls).toEqual([[exchange.socket]]);
    expect(end).not.toHaveBeenCalled();
    expect(await received.sent()).toBe('');
  });

  it('with the regular end of the connection before it begins', async () => {
    const { received, exchange, reset, end } = await givenExchange();
    await breakOff(exchange, 'end', 'before-headers');
    expect(end).toHaveBeenCalledTimes(1);
    expect(reset).not.toHaveBeenCalled();
    expect(await received.sent()).toBe('');
  });

  it.each(['reset', 'end'] as const)(
    'with %s after the first half, when it has reached the client',
    async (how) => {
      const { received, exchange, timers, reset, end } = await givenExchange();
      await breakOff(exchange, how, 'mid-body');
      expect(await received.sent()).toBe(`${HEAD}content-length: 7\r\n${KEEP_ALIVE}{"a"`);
      expect([timers.ms, reset.mock.calls.length, end.mock.calls.length]).toEqual([[25], 0, 0]);
      timers.fire();
      expect([reset.mock.calls.length, end.mock.calls.length]).toEqual(how === 'reset' ? [1, 0] : [0, 1]);
    },
  );
});

describe('an answer that drips', () => {
  it('sends its body byte by byte, and then white space', async () => {
    const { received, exchange, timers } = await givenExchange();
    await drip(exchange, 'body', 3);
    const head = `${HEAD}transfer-encoding: chunked\r\n${KEEP_ALIVE}`;
    expect([timers.ms, await received.sent()]).toEqual([[3], head]);
    for (let count = 0; count < 9; count += 1) timers.fire();
    const chunks = ['{', '"', 'a', '"', ':', '1', '}', ' ', ' '].map((one) => `1\r\n${one}\r\n`);
    expect(await received.sent()).toBe(head + chunks.join(''));
  });

  it('sends header after header', async () => {
    const { received, exchange, timers } = await givenExchange();
    await drip(exchange, 'headers', 3);
    expect(await received.sent()).toBe('HTTP/1.1 200 OK\r\n');
    timers.fire();
    timers.fire();
    expect(await received.sent()).toBe('HTTP/1.1 200 OK\r\nX-Drip-1: drop\r\nX-Drip-2: drop\r\n');
  });

  it('sends interim answer after interim answer', async () => {
    const { received, exchange, timers } = await givenExchange();
    await drip(exchange, 'interim', 3);
    expect(await received.sent()).toBe('');
    timers.fire();
    timers.fire();
    expect(await received.sent()).toBe('HTTP/1.1 102 Processing\r\n\r\n'.repeat(2));
  });

  it('stops when the client disconnects', async () => {
    const { received, exchange, timers } = await givenExchange();
    await drip(exchange, 'headers', 3);
    expect(timers.ms).toEqual([3]);
    received.disconnect();
    await settled();
    expect(timers.ms).toEqual([]);
  });

  it('does not start for a client that has disconnected', async () => {
    const { received, exchange, timers } = await givenExchange();
    received.disconnect();
    await settled();
    await drip(exchange, 'interim', 3);
    expect(timers.ms).toEqual([]);
  });
});

describe('an answer without an end', () => {
  it('sends spaces as fast as the client reads them', async () => {
    const { exchange } = await givenExchange();
    const { response } = exchange;
    const write = vi.spyOn(response, 'write').mockReturnValueOnce(true).mockReturnValue(false);
    const writeHead = vi.spyOn(response, 'writeHead');
    flood(exchange, 401, { 'X-Mood': 'coffee' });
    expect(writeHead.mock.calls).toEqual([
      [401, 'Unauthorized', { 'x-mood': 'coffee', 'transfer-encoding': 'chunked' }],
    ]);
    expect(write).toHaveBeenCalledTimes(2);
    // A comparison of so many bytes by `toEqual` takes seconds.
    expect(Buffer.alloc(65_536, ' ').equals(write.mock.calls[0]?.[0] as Buffer)).toBe(true);
    response.emit('drain');
    expect(write).toHaveBeenCalledTimes(3);
    response.destroy();
    response.emit('drain');
    expect(write).toHaveBeenCalledTimes(3);
  });

  it.each([
    ['GET', 204],
    ['GET', 304],
    ['HEAD', 200],
  ])('ends at once if it has no body: %s, %d', async (method, status) => {
    const { received, exchange } = await givenExchange(method);
    // It would say forever that it takes more: Node drops what is written here.
    const write = vi.spyOn(exchange.response, 'write').mockReturnValue(false);
    flood(exchange, status, {});
    expect(await received.answer()).toMatchObject({ status, body: '' });
    expect(write).not.toHaveBeenCalled();
  });
});

describe('bytes that are not HTTP', () => {
  it.each([
    ['end', 1],
    ['stay', 0],
  ] as const)('are sent as they are, and then the connection has to %s', async (then, ends) => {
    const { received, exchange, end } = await givenExchange();
    raw(exchange, Buffer.from('This is not HTTP.'), then);
    expect(end).toHaveBeenCalledTimes(ends);
    expect(await received.sent()).toBe('This is not HTTP.');
  });
});
