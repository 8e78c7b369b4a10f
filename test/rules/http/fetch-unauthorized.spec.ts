import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { LARGEST_REPEATABLE } from '../../../lib/http/fetch/body.js';
import { given, type RunningApp } from '../../support/http/given.js';

const BYTES = randomBytes(70_000);

function form(): FormData {
  const filled = new FormData();
  filled.set('text', 'ä & = %');
  filled.set('file', new File([BYTES], 'name.bin'));
  return filled;
}

/** A body of so many bytes that only a stream can give. */
function streamOf(bytes: Buffer): ReadableStream {
  const chunks = [bytes.subarray(0, bytes.length >> 1), bytes.subarray(bytes.length >> 1)];
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(new Uint8Array(chunk));
    },
  });
}

/** What a call gets from an API that refuses the first token. */
async function refusedOnce(call: (running: RunningApp) => Promise<Response>) {
  const running = await given()
    .simulator({}, ({ api }) => api.next().unauthorized())
    .app()
    .start();
  const answer = await call(running);
  return { ...running, answer, requests: running.provider.apiRequests };
}

const REPLAYABLE: Record<string, () => RequestInit> = {
  'no body': () => ({ method: 'DELETE' }),
  HEAD: () => ({ method: 'HEAD' }),
  'a view': () => ({ method: 'PATCH', body: new Uint8Array(BYTES) }),
  'a Blob': () => ({ method: 'POST', body: new Blob([BYTES]) }),
  FormData: () => ({ method: 'POST', body: form() }),
};

const attempt = ({ method, path, headers, body }: RunningApp['provider']['apiRequests'][number]) => ({
  method,
  path,
  headers: { ...headers, authorization: '' },
  body: body.toString('base64'),
});

it.each(Object.entries(REPLAYABLE))('B21 B4: %s is sent again, byte for byte', async (_, init) => {
  const { answer, requests } = await refusedOnce(({ easy }) => easy.fetch('/things?q=1', init()));
  expect(answer.status).toBe(200);
  expect(requests).toHaveLength(2);
  const [first, second] = requests.map(attempt);
  expect(second).toEqual(first);
  expect(requests[1]?.tokenFingerprint).not.toBe(requests[0]?.tokenFingerprint);
});

it.each([
  ['8 MiB', LARGEST_REPEATABLE, 200, 2],
  ['one byte more', LARGEST_REPEATABLE + 1, 401, 1],
])('B21: the body of a Request of %s', async (_, length, status, sent) => {
  const bytes = randomBytes(length);
  for (const body of [new Uint8Array(bytes), streamOf(bytes)]) {
    const { answer, requests } = await refusedOnce(({ easy }) =>
      easy.fetch(new Request(`${easy.baseUrl}/x`, { method: 'POST', body, duplex: 'half' })),
    );
    expect(answer.status).toBe(status);
    expect(requests).toHaveLength(sent);
    for (const request of requests) expect(request.body.equals(bytes)).toBe(true);
  }
});

it.each<[string, () => unknown]>([
  ['a web stream', () => streamOf(BYTES)],
  ['a Node stream', () => Readable.from([BYTES])],
  ['an async iterable', () => Readable.from([BYTES])[Symbol.asyncIterator]()],
])('B21: %s is sent once, and the caller gets its 401', async (_, make) => {
  const body = make() as ReadableStream;
  const { answer, easy, requests } = await refusedOnce(({ easy }) =>
    easy.fetch('/x', { method: 'POST', body, duplex: 'half' }),
  );
  expect(answer.status).toBe(401);
  expect(requests).toHaveLength(1);
  expect(requests[0]?.body.equals(BYTES)).toBe(true);
  // The token was renewed for the next call.
  expect((await easy.fetch('/x')).status).toBe(200);
  expect(requests[1]?.tokenFingerprint).not.toBe(requests[0]?.tokenFingerprint);
});

it('B21 B2: fetch and axiosRef share a token and its renewal', async () => {
  const { easy, provider } = await given().app().start();
  await easy.fetch('/x');
  provider.token.revokeAll();
  const calls = Array.from({ length: 10 }, (_, index) =>
    index % 2 === 0 ? easy.fetch('/x') : easy.axiosRef.get('/x'),
  );
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(provider.tokenRequests).toHaveLength(2);
});
