import { AxiosError, AxiosHeaders, type AxiosResponse, CanceledError } from 'axios';
import { describe, expect, it } from 'vitest';
import type { DirectSender, ResultSink, WireRequest } from '../../../lib/wire/wire-request.js';
import { traitsOfTransport } from '../../../lib/http/adapter/adapter-traits.js';
import { Attempt, DirectPlan } from '../../../lib/http/attempt.js';
import { Call } from '../../../lib/http/call.js';

import { BaseAddress } from '../../../lib/net/base-address.js';
import { BASE_URL } from '../../support/http/http-client.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { errorOf, tokenOf } from '../../support/token/token-fixtures.js';

const clock = new FakeClock();
const token = tokenOf(clock, 'canary-token-1');
const base = new BaseAddress(BASE_URL);

const adapter = () => Promise.reject(new Error('An adapter sends no direct request.'));

/** An attempt on a sender that records its requests. The test settles them. */
function createAttempt(request: object = {}, sender: Partial<DirectSender> = {}) {
  const sent: { request: WireRequest; result: ResultSink }[] = [];
  const recording: DirectSender = {
    givesCleanResponses: true,
    accepts: () => true,
    send: (one, result) => void sent.push({ request: one, result }),
    ...sender,
  };
  const traits = traitsOfTransport({ adapter, actsAsHttp: true, close: () => Promise.resolve() });
  const config = { baseURL: BASE_URL, url: '/x', method: 'get', headers: new AxiosHeaders(), ...request };
  const call = new Call(config, traits, clock);
  const plan = DirectPlan.of(recording, call, base.addressOf(config));
  const attempt = plan && new Attempt(call, plan);
  const refused: unknown[] = [];
  const outcome = attempt?.send(token, (_call, one) => void refused.push(one));
  // Some tests look at the end of the call later.
  outcome?.catch(() => undefined);
  return { attempt, call, config, outcome, refused, request: sent[0]?.request, result: sent[0]?.result };
}

function answerWith(status: number, config: WireRequest['config']): AxiosResponse {
  return { data: 'ok', status, statusText: '', headers: {}, config };
}

describe('an attempt of a direct call', () => {
  it('C3: gives the sender the line, the headers in their order, and the token as the last header', () => {
    const headers = new AxiosHeaders({ Accept: 'a/b', 'X-Number': 7 });
    const { request, call, config } = createAttempt({
      method: 'post',
      params: { a: 'b c' },
      data: 'body',
      headers,
    });
    expect(request).toMatchObject({ method: 'POST', path: '/v1/x?a=b+c', body: Buffer.from('body') });
    expect(request?.headers).toEqual([
      'Accept',
      'a/b',
      'X-Number',
      '7',
      'Authorization',
      'Bearer canary-token-1',
    ]);
    expect(request?.config).toBe(config);
    expect(config.headers.has('Authorization')).toBe(false);
    expect(call.trace.redaction.text('canary-token-1')).toBe('[redacted]');
  });

  it('C3: sends one Authorization, even if other code has added one after the check', () => {
    const headers = new AxiosHeaders({ authorization: 'Basic b3du' });
    expect(createAttempt({ headers }).request?.headers).toEqual(['Authorization', 'Bearer canary-token-1']);
  });

  it('B17: leaves out headers without a value', () => {
    const headers = Object.assign(new AxiosHeaders(), {
      'X-Null': null,
      'X-Missing': undefined,
      'X-Empty': '',
    });
    expect(createAttempt({ headers }).request?.headers).toEqual([
      'X-Empty',
      '',
      'Authorization',
      'Bearer canary-token-1',
    ]);
  });

  it.each([
    ['no body', undefined],
    ['null', null],
    ['an empty text', ''],
  ])('B17: sends %s as no body', (_, data) => {
    expect(createAttempt({ data }).request?.body).toBeNull();
  });

  it.each<[string, object]>([
    ['leads outside of the base URL', { url: 'https://elsewhere.example/' }],
    ['has credentials in its URL', { url: 'https://me:mine@api.example.com/v1/x' }],
    ['has a body that is neither text nor bytes', { data: { a: 1 } }],
    ['has a body above its limit', { data: 'four', maxBodyLength: 3 }],
    ['has a body, and 0 as its limit', { data: 'x', maxBodyLength: 0 }],
    ['has params that cannot be written', { params: { a: '\ud800' } }],
  ])('S6: does not exist for a call that %s', (_, request) => {
    const { attempt, request: sent } = createAttempt(request);
    expect(attempt).toBeUndefined();
    expect(sent).toBeUndefined();
  });

  it.each([
    ['a body of exactly the limit', { data: 'four', maxBodyLength: 4 }],
    ['no body and a limit', { maxBodyLength: 0 }],
  ])('B17: exists for %s', (_, request) => {
    expect(createAttempt(request).attempt).toBeDefined();
  });

  it('B17: is a GET if its config has no method', () => {
    expect(createAttempt({ method: undefined }).request?.method).toBe('GET');
  });

  it('B28: ends with the error of a getter of the response, in place of an answer', async () => {
    const { outcome, result, config } = createAttempt();
    const error = new Error('a getter of the application');
    const request = {
      get: () => {
        throw error;
      },
    };
    result?.resolve(Object.defineProperty(answerWith(200, config), 'request', request));
    expect(await errorOf(outcome ?? Promise.resolve())).toBe(error);
  });

  it('B16: does not exist for a request that the sender does not accept', () => {
    expect(createAttempt({}, { accepts: () => false }).attempt).toBeUndefined();
  });

  it('S7: is never sent without a token', () => {
    const { attempt } = createAttempt();
    expect(() => attempt?.send(undefined, () => undefined)).toThrow('without a token');
  });

  it('B12: ends with the response, and says whether the sender gives clean responses', async () => {
    const { outcome, result, config } = createAttempt();
    const response = answerWith(200, config);
    result?.resolve(response);
    expect(await outcome).toMatchObject({ response, isClean: true });
  });

  it('B3: ends with the error and its response, for a status that validateStatus refuses', async () => {
    const { outcome, result, config, refused } = createAttempt();
    const response = answerWith(401, config);
    const error = new AxiosError('refused', 'ERR_BAD_REQUEST', config, {}, response);
    result?.reject(error);
    expect(await outcome).toMatchObject({ response, failure: { error } });
    expect(refused).toEqual([]);
  });

  it('B17: ends with what the sender throws', async () => {
    const thrown = new TypeError('Invalid character in header');
    const { outcome } = createAttempt(
      {},
      {
        send: () => {
          throw thrown;
        },
      },
    );
    expect(await outcome).toMatchObject({ failure: { error: thrown } });
  });

  it('B5: ends with the call, whatever the sender brings afterwards', async () => {
    const controller = new AbortController();
    const { outcome, result, config, request, refused } = createAttempt({ signal: controller.signal });
    controller.abort();
    expect(await errorOf(outcome ?? Promise.resolve())).toBeInstanceOf(CanceledError);
    expect(() => request?.cancellation.throwIfRequested()).toThrow(CanceledError);
    // The API has refused the token all the same.
    result?.resolve(answerWith(401, config));
    expect(refused).toEqual([token]);
  });
});
