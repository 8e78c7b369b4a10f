import { Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { AxiosError } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import type { InterfaceTerms } from '../../../lib/catalogue/catalogue.js';
import { answeredClient, answerTo, steeredClient, unauthorized } from '../../support/http/http-client.js';
import { settled } from '../../support/token/fake-clock.js';
import { errorOf, failureOf, HOUR, Watched } from '../../support/token/token-fixtures.js';

const everyStatus = { validateStatus: () => true };

describe('after a 401', () => {
  it('C3: sends exactly twice, not more', async () => {
    const { axios, stub, tokens, outcomes } = answeredClient([401]);
    expect((await axios.get('/payments', everyStatus)).status).toBe(401);
    expect([stub.seen.length, tokens.renewals.length, outcomes]).toEqual([2, 1, ['refused']]);
  });

  it('C3: publishes a 401 if its resend is refused, because the config was changed meanwhile', async () => {
    const { axios, stub, tokens, outcomes } = answeredClient([401, 200]);
    const configs: { url?: string }[] = [];
    axios.interceptors.request.use((config) => (configs.push(config), config));
    const fetchToken = tokens.fetch;
    tokens.fetch = () => {
      for (const config of configs) config.url = 'https://evil.example/x';
      return fetchToken();
    };
    expect(await errorOf(axios.get('/payments'))).toMatchObject({ code: 'OUTSIDE_BASE_URL' });
    expect([stub.seen.length, outcomes]).toEqual([1, ['refused']]);
  });

  it('C3: publishes a 401 if the renewal lasts longer than the call', async () => {
    const { axios, tokens, clock, outcomes } = answeredClient([401]);
    tokens.fetch = () => new Promise(() => {});
    const call = new Watched(axios.get('/payments', { timeout: 10, ...everyStatus }));
    await settled();
    await clock.advance(10);
    expect(call.error).toMatchObject({ code: 'ECONNABORTED' });
    expect(outcomes).toEqual(['refused']);
  });

  it('B3: does not send again with the same token that was refused', async () => {
    const { axios, stub, tokens, outcomes } = answeredClient([401]);
    tokens.fetch = () => Promise.resolve(tokens.inMemory!);
    await axios.get('/payments', everyStatus);
    expect([stub.seen.length, outcomes]).toEqual([1, ['refused']]);
  });

  it('B3 B29: returns the original 401 if the renewal fails', async () => {
    const { axios, tokens, outcomes } = answeredClient([401]);
    tokens.fetch = () => Promise.reject(failureOf());
    const response = await axios.get('/payments', everyStatus);
    expect([response.status, outcomes]).toEqual([401, ['refused']]);
    // A 401 that validateStatus accepts gets no cause.
    expect(response).not.toHaveProperty('cause');
  });

  it('B29: the 401 names the failure of the renewal as its cause, unless the 401 has a cause', async () => {
    const { axios, stub, tokens } = steeredClient();
    const failure = failureOf();
    const known = new Error('known');
    stub.respond = (config) => {
      const error = unauthorized(config);
      throw config.url === '/known' ? Object.assign(error, { cause: known }) : error;
    };
    tokens.fetch = () => Promise.reject(failure);
    const error = (await errorOf(axios.get('/payments'))) as AxiosError;
    expect(error.cause).toBe(failure);
    expect(Object.keys(error)).not.toContain('cause');
    expect(Object.getOwnPropertyDescriptor(error, 'cause')).toMatchObject({
      configurable: true,
      writable: true,
    });
    expect(((await errorOf(axios.get('/known'))) as Error).cause).toBe(known);
    // The error of another cause may hold anything.
    tokens.fetch = () => Promise.reject(new TypeError('bug'));
    expect((await errorOf(axios.get('/payments'))) as Error).not.toHaveProperty('cause');
  });

  it.each([
    ['body', Readable.from(['x']), 'its body can be read only once. The token is renewed for the next call.'],
    [
      'pause of renewals',
      undefined,
      'the API refused renewed tokens too, and renewals after a refusal are paused.',
    ],
  ])('B29: the message of a 401 says that it was not sent again for its %s', async (_, data, reason) => {
    const { axios, stub, tokens } = steeredClient();
    tokens.fetch = () => Promise.resolve(tokens.inMemory!);
    stub.respond = (config) => {
      throw unauthorized(config);
    };
    const message = `Request failed. It was not sent again, because ${reason}`;
    const error = await errorOf(axios.request({ url: '/payments', method: 'post', data }));
    expect(error).toMatchObject({ message, stack: expect.stringContaining(`AxiosError: ${message}\n`) });
  });

  it.each([true, false])(
    'C3: in an answer that is cut short counts, with the option %s',
    async (retryUnauthorized) => {
      const { axios, stub, tokens, outcomes } = answeredClient([401, 200], { retryUnauthorized });
      stub.respond = (config, status) => {
        if (status === 200) return answerTo(config, status, 'x');
        throw new AxiosError(
          'aborted',
          'ECONNRESET',
          config,
          {},
          { ...answerTo(config, status), data: undefined },
        );
      };
      const result = await axios.get('/payments').catch((error: unknown) => error);
      expect(result).toMatchObject(retryUnauthorized ? { status: 200 } : { code: 'ECONNRESET' });
      const times = Number(retryUnauthorized);
      expect([tokens.renewals.length, stub.seen.length]).toEqual([times, 1 + times]);
      expect(outcomes).toEqual([retryUnauthorized ? 'recovered' : 'refused']);
    },
  );

  it('C3: that comes after the end of its call renews for the next call', async () => {
    const { axios, stub, tokens, clock, outcomes } = answeredClient([401]);
    let give: (() => void) | undefined;
    stub.respond = (config) => new Promise((resolve) => (give = () => resolve(answerTo(config, 401))));
    const call = new Watched(axios.get('/payments', { timeout: 10 }));
    await clock.advance(10);
    expect(call.error).toMatchObject({ code: 'ECONNABORTED' });
    expect(tokens.renewals).toEqual([]);
    give?.();
    await settled();
    expect([tokens.renewals.length, outcomes]).toEqual([1, ['refused']]);
  });

  it('C3: publishes a refusal once if the time of the call ends during the second 401', async () => {
    const { axios, stub, clock, outcomes } = answeredClient([401]);
    let give: (() => void) | undefined;
    stub.respond = (config) => {
      const refusal = answerTo(config, 401);
      return stub.seen.length === 1 ? refusal : new Promise((resolve) => (give = () => resolve(refusal)));
    };
    const call = new Watched(axios.get('/payments', { timeout: 10 }));
    await settled();
    await clock.advance(10);
    expect(call.error).toMatchObject({ code: 'ECONNABORTED' });
    give?.();
    await settled();
    expect([stub.seen.length, outcomes]).toEqual([2, ['refused']]);
  });

  it('B29: logs at most once an hour that a stream was not sent again, with the host of the API', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const { axios, clock } = answeredClient([401]);
    const upload = (): Promise<unknown> => axios.post('/uploads', Readable.from(['x']), everyStatus);
    for (let calls = 0; calls < 5; calls += 1) await upload();
    await clock.advance(HOUR - 1);
    await upload();
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      'A request to easy sandbox got a 401 and was not sent again, because its body can be read only once. The token is ' +
        'renewed for the next call. Set token.renewAheadMs, so that no token expires during an upload, or send a body that ' +
        'can be read again, such as a Buffer or a Blob. (BODY_NOT_REPLAYABLE, api.example.com)',
    );
    await clock.advance(1);
    for (let calls = 0; calls < 2; calls += 1) await upload();
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it('B4: does not send a stream again, and renews for the next call without waiting', async () => {
    const { axios, stub, tokens, outcomes } = answeredClient([401]);
    tokens.fetch = () => Promise.reject(failureOf());
    expect((await axios.post('/uploads', Readable.from(['x']), everyStatus)).status).toBe(401);
    expect([stub.seen.length, tokens.renewals.length, outcomes]).toEqual([1, 1, ['not_replayable']]);
    // No caller waits for this renewal.
    expect(tokens.signals).toEqual([]);
  });

  it('C3 B29: neither renews nor sends again nor warns if the option is off', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn');
    const { axios, stub, tokens, outcomes } = answeredClient([401], { retryUnauthorized: false });
    await axios.get('/payments', everyStatus);
    await axios.post('/uploads', Readable.from(['x']), everyStatus);
    expect([stub.seen.length, tokens.renewals, warn.mock.calls]).toEqual([2, [], []]);
    expect(outcomes).toEqual(['refused', 'refused']);
  });

  it('C3: publishes no success if the resend got no response', async () => {
    const { axios, stub, outcomes } = answeredClient([401, 200]);
    stub.respond = (config, status) => {
      if (status === 200) throw new AxiosError('socket hang up', 'ECONNRESET', config);
      return answerTo(config, status);
    };
    await errorOf(axios.get('/payments', everyStatus));
    expect(outcomes).toEqual(['refused']);
  });
});

describe('a token that works', () => {
  it.each([
    [200, true],
    [299, true],
    [304, true],
    [199, false],
    [300, false],
    [403, false],
    [500, false],
  ])('B3: is reported by a %i: %s', async (status, isReported) => {
    const { axios, tokens } = answeredClient([status]);
    await axios.get('/payments', everyStatus);
    expect(tokens.accepts.map((token) => token.reveal())).toEqual(isReported ? ['canary-token-1'] : []);
  });

  it('B3: is reported by an answer that a mock gives without data', async () => {
    const { axios, stub, tokens } = steeredClient();
    stub.respond = (config) => ({ ...answerTo(config, 204), data: undefined });
    await axios.get('/payments');
    expect(tokens.accepts).toHaveLength(1);
  });

  it.each([
    [200, undefined, 'stream has been aborted', []],
    [202, '', 'Request failed with status code 202', ['canary-token-1']],
    [304, '', 'Request failed with status code 304', ['canary-token-1']],
  ])(
    'B3: is reported only by a complete answer of a failure with %i: %s',
    async (status, data, message, accepts) => {
      const { axios, stub, tokens } = steeredClient();
      stub.respond = (config) => {
        const response = { ...answerTo(config, status), data };
        throw new AxiosError(message, 'ERR_BAD_RESPONSE', config, {}, response);
      };
      await errorOf(axios.get('/payments'));
      expect(tokens.accepts.map((token) => token.reveal())).toEqual(accepts);
    },
  );

  it("R25: is not reported for a call with the caller's own credentials", async () => {
    const { axios, tokens } = steeredClient();
    await axios.get('/payments', { headers: { Authorization: 'Bearer own' } });
    expect(tokens.accepts).toEqual([]);
  });
});

const withTerms = (terms: InterfaceTerms, statuses: number[]) => answeredClient(statuses, {}, terms);

describe('a definition with terms', () => {
  it('B31: sends the scheme before the token, also when it sends again', async () => {
    const { axios, stub } = withTerms({ scheme: 'Zoho-oauthtoken' }, [401, 200]);
    await axios.get('/payments');
    expect(stub.authorizations).toEqual(['Zoho-oauthtoken canary-token-1', 'Zoho-oauthtoken canary-token-2']);
  });

  it.each<[InterfaceTerms['refusedWith'] & object, number]>([
    [[401], 401],
    [[403], 403],
    [[401, 403], 401],
    [[401, 403], 403],
  ])(
    'B31: with refusedWith %j, a %d renews the token, sends once more and is an event',
    async (refusedWith, status) => {
      const { axios, stub, tokens, outcomes } = withTerms({ refusedWith }, [status, 200]);
      expect((await axios.get('/payments')).status).toBe(200);
      expect(stub.seen).toHaveLength(2);
      expect(tokens.renewals.map((token) => token.reveal())).toEqual(['canary-token-1']);
      expect(outcomes).toEqual(['recovered']);
    },
  );

  it.each<[InterfaceTerms['refusedWith'] & object, number]>([
    [[401], 403],
    [[403], 401],
    [[401, 403], 404],
  ])('B31: with refusedWith %j, a %d says nothing about the token', async (refusedWith, status) => {
    const { axios, stub, tokens, outcomes } = withTerms({ refusedWith }, [status]);
    expect((await axios.get('/payments', everyStatus)).status).toBe(status);
    expect([stub.seen.length, tokens.renewals.length, outcomes]).toEqual([1, 0, []]);
  });

  it('B31: the warning about a stream that is not sent again names the status', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const { axios, outcomes } = withTerms({ refusedWith: [403] }, [403]);
    await axios.post('/uploads', Readable.from(['x']), everyStatus);
    expect(warn.mock.lastCall?.[0]).toContain('got a 403 and was not sent again');
    expect(outcomes).toEqual(['not_replayable']);
  });
});
