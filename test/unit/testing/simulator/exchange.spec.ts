import type { OutgoingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../../lib/testing/simulator/answer.js';
import { hasNoBody } from '../../../../lib/testing/simulator/exchange.js';
import { EASY, someExchange } from '../../../support/application/exchange-context.js';
import { settled } from '../../../support/token/fake-clock.js';

const REGULAR: Answer = { status: 201, headers: { 'x-mood': 'tea' }, body: 'ü' };

describe('an exchange', () => {
  it('has the request, the response, the body and the pair', async () => {
    const body = Buffer.from('a body');
    const { exchange, received, context } = await someExchange(REGULAR, { body });
    const { request, response } = received;
    expect(exchange).toMatchObject(EASY);
    expect([exchange.request, exchange.response, exchange.body, exchange.context, exchange.socket]).toEqual([
      request,
      response,
      body,
      context,
      request.socket,
    ]);
  });

  it('sends the regular answer with its length in bytes', async () => {
    const { exchange, received } = await someExchange(REGULAR);
    await exchange.sendRegular();
    expect(await received.answer()).toEqual({
      status: 201,
      reason: 'Created',
      headers: { 'x-mood': 'tea', 'content-length': '2' },
      body: Buffer.from('ü').toString('latin1'),
    });
    expect(exchange.statuses).toEqual([201]);
  });

  it('sends one answer only', async () => {
    const { exchange, received } = await someExchange(REGULAR);
    exchange.send({ status: 200, headers: {}, body: 'first' });
    exchange.send({ status: 500, headers: {}, body: 'second' });
    expect(await received.answer()).toMatchObject({ status: 200, body: 'first' });
    expect(exchange.statuses).toEqual([200]);
  });

  it('sends nothing to a client that has disconnected', async () => {
    const { exchange, received } = await someExchange(REGULAR);
    received.disconnect();
    await settled();
    exchange.send(REGULAR);
    expect(await received.sent()).toBe('');
    expect(exchange.statuses).toEqual([]);
  });

  it.each<[status: number, given: string | undefined, reason: string]>([
    [503, undefined, 'Service Unavailable'],
    [503, 'Odd', 'Odd'],
    [999, undefined, 'unknown'],
  ])('sends the status %d, with the reason %s, as %s', async (status, given, reason) => {
    const { exchange, received } = await someExchange(REGULAR);
    received.response.statusMessage = 'of a script that failed';
    exchange.send({ status, headers: {}, body: '', ...(given !== undefined && { reason: given }) });
    expect(await received.answer()).toEqual({ status, reason, headers: { 'content-length': '0' }, body: '' });
  });

  it.each<[headers: OutgoingHttpHeaders, sent: object, body: string]>([
    [{ a: undefined }, { 'content-length': '2' }, '{}'],
    [{ 'content-length': 1 }, { 'content-length': '1' }, '{}'],
    [{ 'transfer-encoding': 'chunked' }, { 'transfer-encoding': 'chunked' }, '2\r\n{}\r\n0\r\n\r\n'],
  ])('sends the headers %j', async (headers, sent, body) => {
    const { exchange, received } = await someExchange(REGULAR);
    exchange.send({ status: 200, headers, body: '{}' });
    const answer = await received.answer();
    expect([answer.headers, answer.body]).toEqual([sent, body]);
  });

  it.each([204, 304])('sends no length and no body with the status %d', async (status) => {
    const { exchange, received } = await someExchange(REGULAR);
    exchange.send({ status, headers: {}, body: '{}' });
    const answer = await received.answer();
    expect([answer.status, answer.headers, answer.body]).toEqual([status, {}, '']);
  });

  it('records the status that a script has written, if it has', async () => {
    const { exchange, received } = await someExchange(REGULAR);
    exchange.recordWrittenStatus();
    received.response.writeHead(207).end();
    exchange.recordWrittenStatus();
    expect(exchange.statuses).toEqual([207]);
  });
});

it('answers without a body are 1xx, 204 and 304', () => {
  const statuses = [100, 199, 200, 203, 204, 205, 303, 304, 305];
  expect(statuses.filter((status) => hasNoBody(status))).toEqual([100, 199, 204, 304]);
});
