import { Readable } from 'node:stream';
import { AxiosHeaders, type AxiosResponse } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import { discard, settled } from '../../../lib/http/result.js';
import type { Outcome } from '../../../lib/wire/outgoing.js';
import { ReceivedBody } from '../../../lib/wire/received-body.js';
import { receivedBody } from '../../support/http/received-body.js';
import { answerTo, steeredClient } from '../../support/http/http-client.js';
import { findCanaries } from '../../support/secrets/canary-scanner.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const REQUEST = { method: 'GET' };

function outcomeWith(status: number, validateStatus?: unknown, data: unknown = 'no'): Outcome {
  const config = { headers: new AxiosHeaders(), validateStatus } as AxiosResponse['config'];
  return { response: { ...answerTo(config, status, data), request: REQUEST } };
}

describe('the status of an answer', () => {
  it.each([
    [399, 'ERR_BAD_RESPONSE'],
    [400, 'ERR_BAD_REQUEST'],
    [499, 'ERR_BAD_REQUEST'],
    [500, 'ERR_BAD_RESPONSE'],
  ])('B17: %i is an error with the code %s if the caller refuses it', (status, code) => {
    const outcome = outcomeWith(status, () => false);
    const message = `Request failed with status code ${status}`;
    expect(settled(outcome)).toMatchObject({
      response: outcome.response,
      error: { name: 'AxiosError', code, message, request: REQUEST, response: { status, data: 'no' } },
    });
  });

  it.each<[string, unknown, number]>([
    ['without validateStatus', null, 500],
    ['that is none', () => false, 0],
    ['that the caller allows', () => true, 404],
  ])('B17: is no error %s', (_, validateStatus, status) => {
    const outcome = outcomeWith(status, validateStatus);
    expect(settled(outcome)).toBe(outcome);
  });

  it('B17: is rejected with what validateStatus throws, and a body that is not read then ends', () => {
    const thrown = new RangeError('not a status');
    const validateStatus = (): never => {
      throw thrown;
    };
    const body = receivedBody('part');
    expect(settled(outcomeWith(200, validateStatus, body))).toEqual({ error: thrown });
    expect(body.isOver).toBe(true);
  });

  it('C3: of an answer that has broken off does not replace its error', () => {
    const broken = { ...outcomeWith(500, () => false), error: new Error('cut short') };
    expect(settled(broken)).toBe(broken);
  });
});

it('B4: an outcome that no caller receives ends its body, of whatever kind', async () => {
  const received = new ReceivedBody({ resume() {}, closed() {} });
  const stream = new Readable({ read() {} });
  const cancel = vi.fn<() => void>();
  const web = new ReadableStream({ cancel });
  const locked = new ReadableStream();
  locked.getReader();
  for (const data of [received, stream, web, locked, 'text', undefined])
    discard(outcomeWith(200, null, data));
  discard({});
  expect([received.isOver, stream.destroyed, cancel.mock.calls.length]).toEqual([true, true, 1]);
  // A stream may fail after that. No code listens to it.
  expect(() => stream.emit('error', new Error('reset'))).not.toThrow();
});

describe('B12: a token that the API repeats', () => {
  const echo = 'echo of canary-token-1 and canary%2dtoken-1';

  it.each<[string, number, object]>([
    ['in an error', 500, {}],
    ['in an error that the caller allows', 404, { validateStatus: null }],
    ['in bytes', 404, { validateStatus: null, responseType: 'arraybuffer' }],
    [
      'in a success that strict parsing quotes',
      200,
      { responseType: 'json', transitional: { silentJSONParsing: false } },
    ],
  ])('B12: %s is taken out of body, headers, reason, message and cause', async (_, status, config) => {
    const { axios, stub } = steeredClient();
    stub.respond = (wire) => ({
      status,
      statusText: echo,
      headers: new AxiosHeaders({ 'x-echo': echo, 'x-list': [echo, 'other'], 'x-canary-token-1': 'any' }),
      data: 'responseType' in config && config.responseType === 'arraybuffer' ? Buffer.from(echo) : echo,
      config: wire,
    });
    const result = await axios.get('/x', config).catch((error: unknown) => error);
    expect(findCanaries(result, { token: 'canary-token-1' })).toEqual([]);
    expect(JSON.stringify(result)).not.toMatch(/canary/i);
  });

  it('B12: is taken out of an error and of its causes, also that of an earlier attempt', async () => {
    const { axios, stub } = steeredClient();
    stub.respond = (config) => {
      if (stub.seen.length === 1) return answerTo(config, 401);
      const cause = new Error('two canary-token-2');
      // Code of an application may do this.
      cause.cause = cause;
      throw new Error('one canary-token-1', { cause });
    };
    const error = (await errorOf(axios.get('/x'))) as Error;
    expect([error.message, (error.cause as Error).message]).toEqual(['one [redacted]', 'two [redacted]']);
    expect(error.stack).not.toContain('canary');
  });

  it('B12: stays in a success, whose content is the business of the caller', async () => {
    const { axios, stub } = steeredClient();
    stub.respond = (config) => answerTo(config, 200, echo);
    expect((await axios.get('/x')).data).toBe(echo);
  });
});
