import { Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { AxiosError, type AxiosRequestConfig } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import { ApiReport } from '../../../lib/http/api-report.js';
import type { AccessToken } from '../../../lib/secrets/access-token.js';
import { IDENTITY, TokenIdentity } from '../../../lib/token/token-identity.js';
import { answerTo, HTTP_DEFAULTS, steeredClient, unauthorized } from '../../support/http/http-client.js';
import { givenEnvironment } from '../../support/http/proxy-variables.js';
import { findCanaries } from '../../support/secrets/canary-scanner.js';
import { FakeClock, settled } from '../../support/token/fake-clock.js';
import { errorOf, failureOf, profileOf, Watched } from '../../support/token/token-fixtures.js';

const everyStatus = { validateStatus: () => true };

describe('the token of a request', () => {
  it.each([
    ['an Authorization header', { headers: { Authorization: 'Bearer own' } }],
    ['a header in lower case', { headers: { authorization: 'Basic own' } }],
    ['auth', { auth: { username: 'me', password: 'mine' } }],
    ['userinfo', { url: 'https://me:mine@api.example.com/v1/payments' }],
  ])("R25: leaves a caller's own credentials alone: %s", async (_, own) => {
    const { axios, stub, tokens } = steeredClient();
    stub.statuses = [401];
    const { status } = await axios.request({ url: '/payments', ...own, ...everyStatus });
    expect(status).toBe(401);
    expect(stub.seen).toHaveLength(1);
    expect(JSON.stringify(stub.authorizations)).not.toContain('canary');
    expect(tokens.renewals).toEqual([]);
    expect(tokens.accepts).toEqual([]);
  });

  it.each([[false], [null], [undefined]])(
    'S7: an Authorization header of %s is no credential, so the token is sent',
    async (value) => {
      const { axios, stub } = steeredClient();
      await axios.get('/payments', { headers: { Authorization: value as never } });
      expect(stub.authorizations).toEqual(['Bearer canary-token-1']);
    },
  );
});

describe('a refused request', () => {
  it('S6: is sent if its Host header names the host of the base URL', async () => {
    const { axios, stub } = steeredClient();
    await axios.get('/x', { headers: { host: 'API.example.com' } });
    expect(stub.seen).toHaveLength(1);
  });

  it('S6: is refused if the serializer of its params leads it elsewhere', async () => {
    const { axios, stub } = steeredClient();
    axios.interceptors.request.use((config) => {
      config.paramsSerializer = { serialize: () => (config.headers.set('Host', 'evil.example'), 'a=1') };
      return config;
    });
    const error = await errorOf(axios.get('/x', { params: { a: 1 } }));
    expect([error, stub.seen]).toMatchObject([{ code: 'OUTSIDE_BASE_URL' }, []]);
  });

  it('S6: is refused if its form leads it elsewhere while its length is awaited', async () => {
    const { axios, stub } = steeredClient();
    axios.interceptors.request.use((config) => {
      const getHeaders = (): object => (config.headers.set('Host', 'evil.example'), {});
      return Object.assign(config, { data: Object.assign(Readable.from(['x']), { getHeaders }) });
    });
    expect([await errorOf(axios.post('/x')), stub.seen]).toMatchObject([{ code: 'OUTSIDE_BASE_URL' }, []]);
  });
});

/** Two calls that wait for one token request of 2 s. The first has half of that time. */
function twoCallers({
  axios,
  tokens,
  clock,
}: Pick<ReturnType<typeof steeredClient>, 'axios' | 'tokens' | 'clock'>) {
  const shared = new Promise<AccessToken>((resolve) => clock.after(2_000, () => resolve(tokens.another())));
  tokens.fetch = () => shared;
  const leaving = new Watched(axios.get('/payments', { timeout: 1_000 }));
  const staying = new Watched(axios.get('/payments', { timeout: 3_000 }));
  return { leaving, staying };
}

describe('the deadline of a call', () => {
  it.each([
    ['token', []],
    ['renewal', [401, 401, 200]],
  ])('B5: ends the wait of one caller for a %s, and of no other', async (what, statuses) => {
    const { axios, stub, tokens, clock } = steeredClient();
    if (what === 'token') tokens.inMemory = undefined;
    stub.statuses = [...statuses, 200];
    const { leaving, staying } = twoCallers({ axios, tokens, clock });
    await clock.advance(1_000);
    expect([leaving.state, staying.state]).toEqual(['failed', 'waiting']);
    // The provider must know who has left.
    expect(tokens.signals.map((signal) => signal?.aborted)).toEqual([true, false]);
    await clock.advance(1_000);
    expect(staying.result?.status).toBe(200);
  });

  it('B4: is the setting if the request has no timeout, and unlimited if the timeout is 0', async () => {
    const { axios, stub, clock } = steeredClient({ timeoutMs: 77 });
    stub.respond = () => new Promise(() => {});
    void new Watched(axios.get('/payments'));
    void new Watched(axios.get('/payments', { timeout: 0 }));
    await settled();
    expect(clock.history).toEqual([{ ms: 77 }]);
  });

  it('B9: leaves no timer', async () => {
    const { axios, clock, stub } = steeredClient();
    await axios.get('/payments');
    stub.respond = () => Promise.reject(new Error('no'));
    await errorOf(axios.get('/payments'));
    expect(clock.pending()).toEqual([]);
  });

  it('B12: gives an adapter another reason, into which the adapter may write its config', async () => {
    const { axios, stub, clock } = steeredClient();
    stub.respond = (config) =>
      new Promise((_, reject) => {
        const rejectWith = (reason?: unknown): void => reject(Object.assign(reason as Error, { config }));
        config.cancelToken?.subscribe(rejectWith);
      });
    const call = new Watched(axios.get('/payments', { timeout: 5 }));
    await settled();
    await clock.advance(5);
    expect(call.error).toMatchObject({ code: 'ECONNABORTED' });
    expect(findCanaries(call.error, { token: 'canary-token-1' })).toEqual([]);
  });
});

const ofAccount = { [IDENTITY]: TokenIdentity.of({ account: 'merchant-1' }) } as AxiosRequestConfig;
const ownProxy = { proxy: { host: 'proxy.example', port: 3128 } };
const ofCaller = { headers: { Authorization: 'Bearer own' } };

/** Records what requests report, in place of what the report makes of it. */
class RecordedApi extends ApiReport {
  readonly reports: unknown[][] = [];

  constructor() {
    super(profileOf(), HTTP_DEFAULTS, new FakeClock());
  }

  override answered(...report: unknown[]): void {
    this.reports.push(['answered', ...report]);
  }

  override unanswered(error: unknown, timeoutMs?: number): void {
    this.reports.push(['unanswered', error, timeoutMs]);
  }

  override refused(error: unknown, hasWorked: boolean): void {
    this.reports.push(['refused', error, hasWorked]);
  }
}

function givenClient() {
  const api = new RecordedApi();
  return { ...steeredClient({}, undefined, { api }), reports: api.reports };
}

const failure = (code: string, more: object = {}): AxiosError =>
  Object.assign(new AxiosError('no luck', code), more);

const cutShort = (): AxiosError =>
  failure('ECONNRESET', { response: { ...answerTo({} as never), data: undefined } });

describe('B29: what a request says about the API', () => {
  it.each<[number, AxiosRequestConfig, unknown[][]]>([
    [200, {}, [['answered', 200, true]]],
    [503, {}, [['answered', 503, true]]],
    [200, ofAccount, [['answered', 200, false]]],
    [200, ofCaller, []],
  ])('B29 B33: an answer %i to %j', async (status, config, expected) => {
    const { axios, stub, reports } = givenClient();
    stub.statuses = [status];
    await axios.get('/payments', { ...config, ...everyStatus });
    expect(reports).toEqual(expected);
  });

  it.each<[string, () => AxiosError, AxiosRequestConfig, boolean]>([
    ['no answer', () => failure('ENOTFOUND'), {}, true],
    ['no answer with proxy: false where there is none', () => failure('ENOTFOUND'), { proxy: false }, true],
    ['no answer to a call for an account', () => failure('ENOTFOUND'), ofAccount, true],
    ['no answer over a connection of the caller', () => failure('ENOTFOUND'), ownProxy, false],
    ["no answer to the caller's own credentials", () => failure('ENOTFOUND'), ofCaller, false],
    ['an answer that is cut short', cutShort, {}, true],
    ['an answer that is cut short over a connection of the caller', cutShort, ownProxy, false],
  ])('B29: %s', async (_, make, config, isReported) => {
    givenEnvironment();
    const { axios, stub, reports, tokens } = givenClient();
    const error = make();
    stub.respond = () => Promise.reject(error);
    expect(await errorOf(axios.get('/payments', config))).toBe(error);
    expect(reports).toEqual(isReported ? [['unanswered', error, undefined]] : []);
    expect(tokens.accepts).toEqual([]);
    // The doctor has no report.
    const { axios: withoutReport, stub: same } = steeredClient();
    same.respond = () => Promise.reject(error);
    expect(await errorOf(withoutReport.get('/payments', config))).toBe(error);
  });

  it('B29: no answer, because the body of the caller failed', async () => {
    const { axios, stub, reports } = givenClient();
    stub.source.send = (_, end) => end({ error: failure('ECONNRESET'), isOfBody: true });
    await errorOf(axios.post('/uploads', Readable.from(['x'])));
    expect(reports).toEqual([]);
  });

  it('B29: no answer without the proxy of the process, which the caller has turned off', async () => {
    givenEnvironment({ HTTPS_PROXY: 'http://proxy.example:3128' });
    const { axios, stub, reports } = givenClient();
    stub.respond = () => Promise.reject(failure('ENOTFOUND'));
    await errorOf(axios.get('/payments', { proxy: false }));
    expect(reports).toEqual([]);
  });

  it.each<[string, AxiosRequestConfig, boolean]>([
    ['of a call with a body that can be sent again', { data: { a: 1 } }, true],
    ['of a call with a stream, which the caller may be slow to give', { data: Readable.from(['x']) }, false],
    ['over a connection of the caller', ownProxy, false],
    ["with the caller's own credentials", ofCaller, false],
  ])('B29: the end of the time of a request %s', async (_, config, isReported) => {
    const { axios, stub, reports, clock } = givenClient();
    stub.respond = () => new Promise(() => {});
    const call = new Watched(axios.request({ url: '/x', method: 'post', timeout: 5_000, ...config }));
    await settled();
    await clock.advance(5_000);
    expect(call.error).toMatchObject({ message: 'timeout of 5000ms exceeded' });
    expect(reports).toEqual(isReported ? [['unanswered', call.error, 5_000]] : []);
  });

  it('B29: the end of the time of a call that waits for a token says nothing', async () => {
    const { axios, tokens, reports, clock } = givenClient();
    tokens.inMemory = undefined;
    tokens.fetch = () => new Promise(() => {});
    const call = new Watched(axios.get('/payments', { timeout: 10 }));
    await clock.advance(10);
    expect([call.state, reports]).toEqual(['failed', []]);
  });
});

/** The API refuses each token with a 401, which is an error. */
function refusingClient() {
  const client = givenClient();
  client.stub.respond = (config) => {
    throw unauthorized(config);
  };
  return client;
}

const answered = ['answered', 401, true];

describe('B29: an API that refuses a token that was just obtained', () => {
  it.each([
    ['and has never accepted one, is reported if renewals pause', true],
    ['is not reported if another process may have brought the token', false],
  ])('B29: %s', async (_, mayPause) => {
    const { axios, tokens, reports } = refusingClient();
    tokens.mayPause = mayPause;
    const error = await errorOf(axios.get('/payments'));
    expect(tokens.pauses.map((token) => token.reveal())).toEqual(['canary-token-2']);
    expect(reports).toEqual([answered, answered, ...(mayPause ? [['refused', error, false]] : [])]);
    const { axios: lenient, reports: ofLenient, tokens: others, stub } = givenClient();
    stub.statuses = [401];
    others.mayPause = mayPause;
    await lenient.get('/payments', everyStatus);
    expect(ofLenient.slice(2)).toEqual(mayPause ? [['refused', undefined, false]] : []);
  });

  it('B29: and has accepted one before, is reported without advice to the caller and without a pause', async () => {
    const { axios, tokens, reports } = refusingClient();
    tokens.accepts.push(tokens.inMemory!);
    await errorOf(axios.get('/payments'));
    expect(tokens.pauses).toEqual([]);
    expect(reports).toEqual([answered, answered, ['refused', undefined, true]]);
  });

  it('B33: is not reported for the token of an account', async () => {
    const { axios, tokens, reports } = refusingClient();
    tokens.mayPause = true;
    await errorOf(axios.get('/payments', ofAccount));
    tokens.accepts.push(tokens.inMemory!);
    await errorOf(axios.get('/payments', ofAccount));
    expect(tokens.pauses).toEqual([]);
    expect(reports).toEqual(Array.from({ length: 4 }, () => ['answered', 401, false]));
  });

  it('B29: pauses no renewals if there is no report', async () => {
    const { axios, stub, tokens } = steeredClient();
    stub.statuses = [401];
    await axios.get('/payments', everyStatus);
    expect([stub.seen.length, tokens.pauses]).toEqual([2, []]);
  });

  it.each<[string, AxiosRequestConfig, boolean, boolean]>([
    ['is reported again', {}, true, true],
    ['is not reported for an account', ofAccount, true, false],
    ['is not reported if the renewal failed', {}, false, false],
  ])('B29 B33: during a pause of renewals %s', async (_, config, isPaused, isReported) => {
    const { axios, tokens, reports } = refusingClient();
    tokens.fetch = () => (isPaused ? Promise.resolve(tokens.inMemory!) : Promise.reject(failureOf()));
    const error = await errorOf(axios.get('/payments', config));
    expect(reports.slice(1)).toEqual(isReported ? [['refused', error, false]] : []);
  });

  it.each<[string, AxiosRequestConfig, boolean]>([
    ['is reported by an upload that cannot be sent again', {}, true],
    ['is not reported by an upload for an account', ofAccount, false],
  ])('B3 B29 B33: during a pause of renewals %s, and its error says so', async (_, config, isReported) => {
    const warn = vi.spyOn(Logger.prototype, 'warn');
    const { axios, tokens, reports } = refusingClient();
    tokens.mayPause = true;
    const error = await errorOf(axios.post('/uploads', Readable.from(['x']), config));
    expect(reports.slice(1)).toEqual(isReported ? [['refused', error, false]] : []);
    expect(error).toMatchObject({ message: expect.stringContaining('renewals after a refusal are paused.') });
    expect([tokens.renewals, warn.mock.calls]).toEqual([[], []]);
  });
});

describe('what a request says about its token', () => {
  it.each([
    [200, 1],
    [404, 1],
    [500, 1],
    [408, 0],
    [425, 0],
    [429, 0],
    [502, 0],
    [503, 0],
    [504, 0],
    [401, 0],
  ])('B3: a %i after a renewal is a help: %i', async (status, helps) => {
    const { axios, stub, tokens } = steeredClient();
    stub.statuses = [401, status];
    expect((await axios.get('/payments', everyStatus)).status).toBe(status);
    expect(tokens.helps).toBe(helps);
  });

  it.each<[string, unknown, boolean]>([
    ['no body', undefined, false],
    ['a text', 'text', false],
    ['bytes', Buffer.from('bytes'), false],
    ['a stream', Readable.from(['x']), true],
  ])('B3: a success says whether its request could be sent only once: with %s', async (_, data, isOnce) => {
    const { axios, tokens } = steeredClient();
    await axios.request({ url: '/payments', method: 'post', data });
    expect(tokens.sentOnce).toEqual([isOnce]);
  });

  it('B29 B33: the log of an upload that was not sent again names the account, whose token is not renewed ahead', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const { axios, stub } = steeredClient();
    stub.statuses = [401];
    await axios.post('/uploads', Readable.from(['x']), { ...everyStatus, ...ofAccount });
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      'A request to easy sandbox, account merchant-1 got a 401 and was not sent again, because its body can be read only ' +
        'once. The token is renewed for the next call. Send a body that can be read again, such as a Buffer or a Blob. ' +
        '(BODY_NOT_REPLAYABLE, api.example.com)',
    );
  });
});
