import { HttpService } from '@nestjs/axios';
import { lastValueFrom, retry, take, tap, timeout } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { given } from '../../support/http/given.js';

describe('the HTTP service of an interface', () => {
  it('C2: is an HttpService with all its methods', async () => {
    const { easy, provider } = await given().app().start();
    expect(easy).toBeInstanceOf(HttpService);
    const data = { a: 1 };
    const calls = [
      easy.request({ url: '/r' }),
      easy.get('/r'),
      easy.delete('/r'),
      easy.head('/r'),
      easy.post('/r', data),
      easy.put('/r', data),
      easy.patch('/r', data),
      easy.postForm('/r', data),
      easy.putForm('/r', data),
      easy.patchForm('/r', data),
      easy.query('/r', data),
    ];
    for (const call of calls) expect((await lastValueFrom(call)).status).toBe(200);
    expect(provider.apiRequests.map(({ method }) => method)).toEqual(
      'GET GET DELETE HEAD POST PUT PATCH POST PUT PATCH QUERY'.split(' '),
    );
    expect(provider.apiRequests.every(({ claims }) => claims !== undefined)).toBe(true);
  });

  it('C2: sends nothing before a subscription, and one request for each subscription', async () => {
    const { easy, provider } = await given().app().start();
    const call = easy.get('/things');
    expect(provider.apiRequests).toHaveLength(0);
    await Promise.all([lastValueFrom(call), lastValueFrom(call)]);
    expect(provider.apiRequests).toHaveLength(2);
  });

  it('C2: works with the operators of rxjs', async () => {
    const { easy, provider } = await given()
      .simulator({}, ({ api }) => api.next().status(500))
      .app()
      .start();
    const seen: number[] = [];
    const call = easy.get('/things').pipe(
      retry(1),
      tap(({ status }) => seen.push(status)),
      take(1),
    );
    expect((await lastValueFrom(call)).status).toBe(200);
    expect(seen).toEqual([200]);
    expect(provider.apiRequests).toHaveLength(2);
    provider.api.hang();
    await expect(lastValueFrom(easy.get('/things').pipe(timeout(50)))).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  it('C2: refusals arrive through the Observable, never by a throw', async () => {
    const { easy } = await given().app().start();
    const call = easy.get('https://somewhere.example/');
    await expect(lastValueFrom(call)).rejects.toMatchObject({ code: 'OUTSIDE_BASE_URL' });
    const promise = easy.axiosRef.get('https://somewhere.example/');
    await expect(promise).rejects.toMatchObject({ code: 'OUTSIDE_BASE_URL' });
  });
});
