import { AxiosError, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it, vi } from 'vitest';
import type { FetchedCall } from '../../../../lib/http/call.js';
import {
  createLazyFetch,
  createProviderFetch,
  createRefusingFetch,
  identifiedFetch,
  type ProviderFetch,
} from '../../../../lib/http/fetch/provider-fetch.js';
import { BaseAddress } from '../../../../lib/net/base-address.js';
import { IDENTITY, TokenIdentity } from '../../../../lib/token/token-identity.js';
import { FakeClock } from '../../../support/token/fake-clock.js';
import { errorOf } from '../../../support/token/token-fixtures.js';
import { receivedBody } from '../../../support/http/received-body.js';

const BASE_URL = 'https://api.example/v1';

interface Sent {
  readonly config: InternalAxiosRequestConfig;
  readonly fetched: FetchedCall;
}

type Answer = (sent: Sent) => Partial<AxiosResponse> | Promise<never>;

/** A `fetch` whose requests are answered by a function instead of a server. */
function fetchWith({ answer = (() => ({})) as Answer, timeoutMs = 0, maxRedirects = 0 } = {}) {
  const sent: Sent[] = [];
  const clock = new FakeClock();
  const fetch = createProviderFetch({
    base: new BaseAddress(BASE_URL),
    baseUrl: BASE_URL,
    http: { timeoutMs, maxRedirects, headers: undefined },
    clock,
    async send(config, fetched) {
      sent.push({ config, fetched });
      const answered = await answer({ config, fetched });
      return { status: 200, statusText: '', headers: {}, data: '', config, ...answered };
    },
  });
  return { fetch, sent, clock };
}

function rejecting(error: Error): Answer {
  return async () => {
    throw error;
  };
}

const identity = TokenIdentity.of({ account: 'one' }) as TokenIdentity;

const upload = (body: ReadableStream, init: RequestInit = {}): RequestInit & { duplex: 'half' } => ({
  method: 'POST',
  body,
  duplex: 'half',
  ...init,
});

describe('a fetch of the module', () => {
  it.each<[string, ProviderFetch, string]>([
    ['of a pair', fetchWith().fetch, BASE_URL],
    ['with a token identity', identifiedFetch(fetchWith().fetch, identity), BASE_URL],
    ['that is made later', createLazyFetch(BASE_URL, () => fetchWith().fetch), BASE_URL],
    ['that refuses each call', createRefusingFetch(() => new Error('none')), ''],
  ])('B21: %s shows its base URL, and is called fetch', (_, fetch, baseUrl) => {
    expect({ ...fetch }).toEqual({ baseUrl });
    expect(fetch.name).toBe('fetch');
  });

  it('B21: a fetch that is made later passes input and init on, and is made at the first call', async () => {
    const { fetch, sent } = fetchWith();
    const create = vi.fn<() => ProviderFetch>(() => fetch);
    const lazy = createLazyFetch(BASE_URL, create);
    expect(create).not.toHaveBeenCalled();
    expect((await lazy('/x', { method: 'POST', body: 'text' })).status).toBe(200);
    expect(sent[0]?.config).toMatchObject({ url: '/x', method: 'post', data: 'text', timeout: 0 });
  });

  it.each<[string, (fetch: ProviderFetch) => ProviderFetch]>([
    ['itself', (fetch) => identifiedFetch(fetch, identity)],
    [
      'that is made later',
      (fetch) =>
        identifiedFetch(
          createLazyFetch(BASE_URL, () => fetch),
          identity,
        ),
    ],
  ])('B33: the identity of a fetch %s goes with each call', async (_, identified) => {
    const { fetch, sent } = fetchWith();
    await identified(fetch)('/x', { method: 'PUT' });
    expect(sent[0]?.config).toMatchObject({ url: '/x', method: 'put', [IDENTITY]: identity });
  });

  it.each<[string, unknown]>([
    ['a list', ['/x']],
    ['an object of the same shape', { account: 'one' }],
  ])('B33: a caller cannot choose an account by a third argument: %s', async (_, third) => {
    const { fetch, sent } = fetchWith();
    await Reflect.apply(fetch, undefined, ['/x', undefined, third]);
    expect(sent.map(({ config }) => Reflect.get(config, IDENTITY))).toEqual([undefined]);
  });

  it('B21: a second argument that is no object, as map() passes, rejects with a TypeError that says so', async () => {
    const { fetch, sent } = fetchWith();
    const [outcome] = await Promise.allSettled(['/x'].map(fetch as (path: string) => Promise<unknown>));
    expect(outcome).toMatchObject({
      reason: new TypeError('The second argument of fetch must be an object.'),
    });
    expect(sent).toEqual([]);
  });

  it.each(['of a Request', 'of init'])(
    'B21 S6: what the caller changes in the headers %s while the body is read changes nothing',
    async (owner) => {
      const { fetch, sent } = fetchWith();
      const init = { method: 'POST', body: 'text', headers: new Headers({ 'x-a': 'before' }) };
      const request = new Request(`${BASE_URL}/x`, init);
      const { headers } = owner === 'of init' ? init : request;
      const call = fetch(request, owner === 'of init' ? { headers } : undefined);
      headers.set('x-a', 'after');
      await call;
      expect(sent[0]?.config.headers.get('x-a')).toBe('before');
    },
  );
});

describe('the time of a fetch', () => {
  it.each<[string, number, number, number]>([
    ['without a limit has none', 0, 400, 0],
    ['is shorter by the time of the reading', 1_000, 400, 600],
    ['is rounded up', 1_000, 400.5, 600],
    ['is at least 1, because 0 means no limit', 1_000, 999.5, 1],
  ])('B21: after the body of a Request was read %s', async (_, timeoutMs, readingMs, leftMs) => {
    const { fetch, sent, clock } = fetchWith({ timeoutMs });
    const body = new TransformStream();
    const call = fetch(new Request(`${BASE_URL}/x`, upload(body.readable)));
    await clock.advance(readingMs);
    await body.writable.close();
    await call;
    expect(sent[0]?.config.timeout).toBe(leftMs);
  });

  it('B21: is at least 1 even if a busy process fires no timer', async () => {
    const { fetch, sent, clock } = fetchWith({ timeoutMs: 1_000 });
    const call = fetch(new Request(`${BASE_URL}/x`, { method: 'POST', body: 'text' }));
    clock.setMonotonicBy(2_000);
    await call;
    expect(sent[0]?.config.timeout).toBe(1);
  });

  it.each([0, 1_000])('B21: without a body to read is http.timeoutMs: %i', async (timeoutMs) => {
    const { fetch, sent } = fetchWith({ timeoutMs });
    await fetch('/x');
    expect(sent[0]?.config.timeout).toBe(timeoutMs);
  });

  it('B21: an error names the time of the whole call', async () => {
    const answer = rejecting(new AxiosError('timeout of 600ms exceeded anywhere'));
    const error = await errorOf(fetchWith({ answer, timeoutMs: 1_000 }).fetch('/x'));
    expect(error).toMatchObject({ name: 'TimeoutError', message: 'timeout of 1000ms exceeded anywhere' });
  });
});

it('B21: redirect error makes a redirect a TypeError, and no caller waits for its body', async () => {
  const data = receivedBody();
  const { fetch } = fetchWith({ answer: () => ({ status: 302, data }) });
  const cause = new Error('The API answered with a redirect (302), and the request allows none.');
  expect(await errorOf(fetch('/x', { redirect: 'error' }))).toEqual(new TypeError('fetch failed', { cause }));
  expect(data.isOver).toBe(true);
});
