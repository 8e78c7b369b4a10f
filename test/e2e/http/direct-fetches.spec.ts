import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ProviderFetch } from '../../../lib/index.js';
import { directRequestsTo } from '../../support/http/call-paths.js';
import { given, type RunningApp } from '../../support/http/given.js';

type Call = (fetch: ProviderFetch) => Promise<Response>;

async function start(http = {}): Promise<RunningApp> {
  return given()
    .app((provider) => provider.options({ http }))
    .start();
}

const post = (body: unknown, more: RequestInit = {}): RequestInit => ({
  method: 'POST',
  body: body as string,
  ...more,
});

const DIRECT: Readonly<Record<string, Call>> = {
  'a GET': (fetch) => fetch('/things?a=b'),
  'a HEAD': (fetch) => fetch('/things', { method: 'HEAD' }),
  'a DELETE': (fetch) => fetch('/things/1', { method: 'delete' }),
  'a whole address': (fetch) => fetch(`${fetch.baseUrl}/things`),
  'a URL': (fetch) => fetch(new URL(`${fetch.baseUrl}/things`)),
  'a Request': (fetch) => fetch(new Request(`${fetch.baseUrl}/things`, post('text'))),
  'headers of the caller': (fetch) => fetch('/things', { headers: { 'X-Own': 'one', accept: 'text/plain' } }),
  'a JSON body': (fetch) =>
    fetch('/things', post('{"a":1}', { headers: { 'content-type': 'application/json' } })),
  'parameters as a body': (fetch) => fetch('/things', post(new URLSearchParams({ a: 'ä' }))),
  'bytes as a body': (fetch) => fetch('/things', post(new Uint8Array([0, 255]))),
  'a form without files': (fetch) => {
    const form = new FormData();
    form.append('a', 'b');
    return fetch('/things', post(form));
  },
  'no body': (fetch) => fetch('/things', { method: 'PUT' }),
  'a signal': (fetch) => fetch('/things', { signal: new AbortController().signal }),
  'redirects that are not followed': (fetch) => fetch('/things', { redirect: 'manual' }),
};

const OTHER: Readonly<Record<string, Call>> = {
  'a stream as the body': (fetch) => fetch('/things', post(Readable.from(['a']), { duplex: 'half' })),
  'a Blob as the body': (fetch) => fetch('/things', post(new Blob(['a']))),
  'credentials of the caller': (fetch) => fetch('/things', { headers: { Authorization: 'own' } }),
  'a header that transports treat differently': (fetch) => fetch('/things', { headers: { date: 'today' } }),
  'an unusual method': (fetch) => fetch('/things', { method: 'PROPFIND' }),
};

describe('a direct fetch', () => {
  it.each(Object.entries(DIRECT))('B21: %s takes the direct path', async (_, call) => {
    const { easy, provider } = await start();
    expect((await call(easy.fetch)).status).toBe(200);
    expect(directRequestsTo(easy.fetch.baseUrl)).toBe(1);
    expect(provider.apiRequests.every(({ claims }) => claims !== undefined)).toBe(true);
  });

  it.each(Object.entries(OTHER))('B21: %s takes the general path', async (_, call) => {
    const { easy, provider } = await start();
    await call(easy.fetch).catch(() => undefined);
    expect(directRequestsTo(easy.fetch.baseUrl)).toBe(0);
    expect(provider.apiRequests).toHaveLength(1);
  });

  it('B21: redirects that are followed take the general path', async () => {
    const { easy } = await start({ maxRedirects: 2 });
    await easy.fetch('/things');
    expect(directRequestsTo(easy.fetch.baseUrl)).toBe(0);
    await easy.fetch('/things', { redirect: 'manual' });
    expect(directRequestsTo(easy.fetch.baseUrl)).toBe(1);
  });

  it('B21: a request that is refused, and its second attempt, take the direct path', async () => {
    const { easy, provider } = await start();
    provider.api.next().unauthorized();
    expect((await easy.fetch('/things', post('text'))).status).toBe(200);
    expect(directRequestsTo(easy.fetch.baseUrl)).toBe(2);
    expect(provider.apiRequests.map(({ body }) => body.toString())).toEqual(['text', 'text']);
  });
});
