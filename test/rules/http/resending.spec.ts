import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { AxiosError } from 'axios';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { type ProviderSimulator } from '../../../lib/testing/index.js';
import { given, type RunningApp } from '../../support/http/given.js';

const BYTES = randomBytes(70_000);

function form(): FormData {
  const filled = new FormData();
  filled.set('text', 'ä & = %');
  filled.set('file', new File([BYTES], 'naïve name.bin', { type: 'application/x-bin' }));
  return filled;
}

/** The two requests that a 401 and its resend make. */
function bothAttempts(provider: ProviderSimulator) {
  const [first, second, ...rest] = provider.apiRequests;
  expect(rest).toEqual([]);
  if (first === undefined || second === undefined) throw new Error('There were not two requests.');
  return { first, second };
}

describe('after a 401, the request is repeated', () => {
  it.each<[string, string, unknown, Record<string, string>?]>([
    ['nothing', 'DELETE', undefined],
    ['nothing', 'HEAD', undefined],
    ['JSON', 'POST', { amount: 1, text: 'ü' }],
    ['JSON', 'DELETE', { reason: 'void' }],
    ['text', 'PUT', 'plain text ü', { 'Content-Type': 'text/plain' }],
    ['a form', 'POST', new URLSearchParams({ a: '1 2', b: 'ü&' })],
    [
      'an object as a form',
      'POST',
      { a: { b: [1, 2] } },
      { 'Content-Type': 'application/x-www-form-urlencoded' },
    ],
    ['a Buffer', 'POST', BYTES, { 'Content-Type': 'application/octet-stream' }],
    ['an ArrayBuffer', 'PATCH', BYTES.buffer.slice(BYTES.byteOffset, BYTES.byteOffset + BYTES.byteLength)],
    ['a typed array', 'PUT', new Uint8Array(BYTES)],
    ['a Blob', 'POST', new Blob([BYTES], { type: 'image/x-any' })],
    ['FormData', 'POST', form()],
    ['FormData', 'POST', form(), { 'Content-Type': 'multipart/form-data; boundary=my-own-boundary-1' }],
  ])('R20 B4: %s with %s, byte for byte', async (_, method, data, headers = {}) => {
    const { answer, provider } = await given()
      .simulator({}, ({ api }) => api.next().unauthorized())
      .app()
      .call(({ easy }) => easy.request({ url: '/things?q=1', method, data, headers }));
    const { first, second } = bothAttempts(provider);
    expect(answer?.status).toBe(200);
    expect(second.body.equals(first.body)).toBe(true);
    expect(first.body.length > 0).toBe(data !== undefined);
    expect([second.method, second.path]).toEqual([first.method, first.path]);
    expect({ ...second.headers, authorization: '' }).toEqual({ ...first.headers, authorization: '' });
    expect(second.headers.authorization).not.toBe(first.headers.authorization);
  });

  it('B4: and the interceptors of the user run once', async () => {
    const runs: string[] = [];
    const { answer } = await given()
      .simulator({}, ({ api }) => api.next().unauthorized())
      .app()
      .call(({ easy }) => {
        easy.axiosRef.interceptors.request.use((config) => {
          runs.push('request');
          return config;
        });
        easy.axiosRef.interceptors.response.use((response) => {
          runs.push(`response ${response.status}`);
          return response;
        });
        return easy.post('/things', { a: 1 });
      });
    expect(answer?.status).toBe(200);
    expect(runs).toEqual(['request', 'response 200']);
  });
});

it.each([{}, { 'content-encoding': 'gzip' }])(
  'B3: a streamed 401 that breaks off is still the answer if the renewal fails, and its body fails when it is read: %j',
  async (headers) => {
    const { error } = await given()
      .simulator({}, ({ api, token }) => {
        token.next().regular();
        token.after(150).refuse('invalid_client');
        api.handler((_, response) => {
          response.writeHead(401, headers);
          response.write(gzipSync('half of an answer').subarray(0, 15));
          setTimeout(() => response.destroy(), 30);
        });
      })
      .app()
      .call(({ easy }) => easy.get('/things', { responseType: 'stream' }));
    expect(error).toMatchObject({ response: { status: 401 } });
    const { data } = (error as AxiosError<Readable>).response ?? {};
    await expect(data?.toArray()).rejects.toThrow('aborted');
  },
);

describe('after a 401, a body that can be read only once is not repeated', () => {
  const size = 256 * 1024;
  const bytes = randomBytes(size);
  const chunked = (): Readable => Readable.from([bytes.subarray(0, 100_000), bytes.subarray(100_000)]);

  it.each<[string, (running: RunningApp) => unknown]>([
    ['a Node stream', chunked],
    ['a form of streams by postForm', () => ({ file: Readable.from([bytes]), text: 'a' })],
  ])('R21 B4: %s: one request, and its 401', async (name, make) => {
    const { error, provider } = await given()
      .simulator({}, ({ api }) => api.next().unauthorized())
      .app()
      .call((running) => {
        const { easy } = running;
        return name.includes('postForm')
          ? easy.postForm('/uploads', make(running))
          : easy.post('/uploads', make(running), { headers: { 'Content-Type': 'application/x-bin' } });
      });
    expect(error).toMatchObject({ code: 'ERR_BAD_REQUEST', response: { status: 401 } });
    expect(provider.apiRequests).toHaveLength(1);
    expect(provider.apiRequests[0]?.body.length).toBeGreaterThanOrEqual(size);
  });

  it('B4: a server that refuses before it has read the upload', async () => {
    const { error, provider } = await given()
      .simulator({}, ({ api }) => api.early().next().unauthorized())
      .app()
      .call(({ easy }) => easy.post('/uploads', chunked()));
    expect(error).toMatchObject({ response: { status: 401 } });
    expect(provider.apiRequests).toHaveLength(1);
  });
});

it('R24 B2: ten calls refused for one revoked token cost one token request', async () => {
  const { easy, provider } = await given().app().start();
  await lastValueFrom(easy.get('/things'));
  provider.token.revokeAll();
  const answers = await Promise.all(Array.from({ length: 10 }, () => lastValueFrom(easy.get('/things'))));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(provider.tokenRequests).toHaveLength(2);
});

it('B3: two hundred calls to an API that refuses every token cost two token requests', async () => {
  const { easy, provider } = await given()
    .simulator({}, ({ api }) => api.unauthorized())
    .app()
    .start();
  for (let batch = 0; batch < 4; batch += 1) {
    const calls = Array.from({ length: 50 }, () =>
      lastValueFrom(easy.get('/things', { validateStatus: () => true })),
    );
    for (const { status } of await Promise.all(calls)) expect(status).toBe(401);
  }
  expect(provider.tokenRequests).toHaveLength(2);
});

function givenRefusingPath(): Promise<RunningApp> {
  return given()
    .simulator({}, ({ api }) => api.path('/refused').unauthorized())
    .app()
    .start();
}

it('B2: renews each revoked token at once, also if no call can be sent again', async () => {
  const { easy, provider } = await given().simulator({}).app().start();
  const upload = async (): Promise<number> => {
    const { status } = await easy.axiosRef.post('/things', Readable.from(['once']), {
      validateStatus: () => true,
    });
    return status;
  };
  await upload();
  for (let revocation = 0; revocation < 6; revocation += 1) {
    provider.token.revokeAll();
    expect([await upload(), await upload()]).toEqual([401, 200]);
  }
});

describe('an API that refuses every token at one path, while other paths accept them', () => {
  const everyStatus = { validateStatus: () => true };

  it('B3: 100 refused calls cost three renewals, in any order', async () => {
    const { easy, provider } = await givenRefusingPath();
    const statusOf = async (path: string): Promise<number> =>
      (await easy.axiosRef.get(path, everyStatus)).status;
    for (let call = 0; call < 40; call += 1) {
      expect(await statusOf('/refused')).toBe(401);
      expect(await statusOf('/things')).toBe(200);
    }
    for (let batch = 0; batch < 3; batch += 1) {
      const paths = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? '/refused' : '/things'));
      const statuses = await Promise.all(paths.map(statusOf));
      expect(statuses).toEqual(paths.map((path) => (path === '/refused' ? 401 : 200)));
    }
    expect(provider.tokenRequests).toHaveLength(4);
  });

  it.each([429, 503])(
    'B3: the same holds if a gateway answers each second request with %i',
    async (status) => {
      const refused = new Set<unknown>();
      const { easy, provider } = await given()
        .simulator({}, ({ api }) =>
          api.path('/limited').handler((request, response) => {
            const call = request.headers['x-call'];
            response.writeHead(refused.has(call) ? status : 401).end();
            refused.add(call);
          }),
        )
        .app()
        .start();
      for (let call = 0; call < 20; call += 1) {
        await easy.axiosRef.get('/limited', { ...everyStatus, headers: { 'x-call': String(call) } });
        expect((await easy.axiosRef.get('/things', everyStatus)).status).toBe(200);
      }
      expect(provider.tokenRequests).toHaveLength(4);
    },
  );

  it('B3: the same holds for a POST that is not sent again after a redirect', async () => {
    const { easy, provider } = await given()
      .simulator({}, ({ api }) => {
        api.path('/orders').redirect('refused', 303);
        api.path('/refused').unauthorized();
      })
      .app({ http: { maxRedirects: 1 } })
      .start();
    for (let call = 0; call < 20; call += 1) {
      expect((await easy.axiosRef.post('/orders', { call }, everyStatus)).status).toBe(401);
      expect((await easy.axiosRef.get('/things', everyStatus)).status).toBe(200);
    }
    expect(provider.apiRequests.filter(({ method }) => method === 'POST')).toHaveLength(20);
    expect(provider.tokenRequests).toHaveLength(4);
  });

  it('B2: does not delay the renewal of revoked tokens', async () => {
    const { easy, provider } = await givenRefusingPath();
    for (let call = 0; call < 20; call += 1) {
      await easy.axiosRef.get('/refused', everyStatus);
      await easy.axiosRef.get('/things');
      await easy.axiosRef.get('/refused', everyStatus);
      await easy.axiosRef.get('/things');
      provider.token.revokeAll();
      expect((await easy.axiosRef.get('/things', everyStatus)).status).toBe(200);
    }
  });
});

it.each<[string, number, (provider: ProviderSimulator) => void]>([
  ['proves it, though the caller refuses the status', 200, () => {}],
  ['proves nothing when it breaks off', 401, ({ api }) => api.next().hangUp('mid-body')],
])('B3: the first answer to a renewed token %s', async (_, status, breakOff) => {
  const { easy, provider } = await given().app().start();
  await lastValueFrom(easy.get('/things'));
  provider.api.next().unauthorized();
  breakOff(provider);
  await expect(lastValueFrom(easy.get('/things', { validateStatus: () => false }))).rejects.toMatchObject({
    isAxiosError: true,
  });
  provider.token.revokeAll();
  const next = await lastValueFrom(easy.get('/things', { validateStatus: () => true }));
  expect(next.status).toBe(status);
});
