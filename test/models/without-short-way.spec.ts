import axios from 'axios';
import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generalCallsOf } from '../support/http/general-calls.js';
import { given } from '../support/http/given.js';

/**
 * The short way is off with an axios that it was not compared with, as if its file were missing. `short-way.spec.ts` compares all that
 * callers and servers see with and without it.
 */
describe('B17: without the short way', () => {
  const { VERSION } = axios as typeof axios & { VERSION: string };
  beforeEach(() => void Reflect.set(axios, 'VERSION', '99.0.0'));
  afterEach(() => void Reflect.set(axios, 'VERSION', VERSION));

  it('each call is made by axios, and carries the token', async () => {
    const { easy, provider } = await given().app().start();
    await firstValueFrom(easy.get('/payments', { params: { full: true } }));
    await easy.axiosRef.post('/payments', { amount: 1 });
    expect(generalCallsOf(easy.axiosRef)).toBe(2);
    expect(provider.apiRequests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /payments?full=true',
      'POST /payments',
    ]);
    for (const { headers } of provider.apiRequests)
      expect(headers.authorization).toBe(`Bearer ${provider.tokenRequests[0]?.token}`);
  });
});
