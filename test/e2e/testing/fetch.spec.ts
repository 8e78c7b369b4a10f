import { Readable } from 'node:stream';
import { Test } from '@nestjs/testing';
import MockAdapter from 'axios-mock-adapter';
import nock from 'nock';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EasyHttpService, getProviderFetchToken, type ProviderFetch } from '../../../lib/index.js';
import { ProviderAuthTestingModule } from '../../../lib/testing/index.js';
import { startSimulator } from '../../support/application/simulator.js';

async function start() {
  const app = await Test.createTestingModule({ imports: [ProviderAuthTestingModule.forRoot()] }).compile();
  await app.init();
  onTestFinished(() => app.close());
  return { easy: app.get(EasyHttpService), fetch: app.get<ProviderFetch>(getProviderFetchToken('easy')) };
}

describe('fetch in ProviderAuthTestingModule', () => {
  it('B21: one mock of axiosRef answers both', async () => {
    const { easy, fetch } = await start();
    expect(fetch).toBe(easy.fetch);
    const mock = new MockAdapter(easy.axiosRef as never);
    mock.onPost('/payments', { amount: 1 }).reply(201, { id: 'pay_1' }, { 'x-a': 'b' });
    const { status, data } = await easy.axiosRef.post('/payments', { amount: 1 });
    const inputs: [string | Request, RequestInit][] = [
      ['/payments', { method: 'POST', body: '{"amount":1}' }],
      [new Request(`${fetch.baseUrl}/payments`, { method: 'POST', body: '{"amount":1}' }), {}],
    ];
    for (const [input, init] of inputs) {
      const answer = await fetch(input, init);
      expect([answer.status, await answer.json(), answer.headers.get('x-a')]).toEqual([status, data, 'b']);
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.url).toBe(`${ProviderAuthTestingModule.baseUrl('easy')}/payments`);
    }
    expect(mock.history['post']).toHaveLength(3);
  });

  it('B21: gives every status of a mock, and its errors as fetch gives them', async () => {
    const { easy, fetch } = await start();
    const mock = new MockAdapter(easy.axiosRef as never);
    mock.onGet('/missing').reply(404, 'not here');
    mock.onGet('/empty').reply(204);
    mock.onGet('/odd').reply(101);
    mock.onGet('/broken').networkError();
    mock.onGet('/slow').timeout();
    const answers = await Promise.all(['/missing', '/empty', '/odd'].map((path) => fetch(path)));
    expect(await Promise.all(answers.map((one) => one.text()))).toEqual(['not here', '', '']);
    expect(answers.map(({ status, ok }) => [status, ok])).toEqual([
      [404, false],
      [204, true],
      [101, false],
    ]);
    await expect(fetch('/broken')).rejects.toMatchObject({ name: 'TypeError', message: 'fetch failed' });
    await expect(fetch('/slow')).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('B21: reads a stream of bytes that a mock answers with, and invents no type for an answer without a body', async () => {
    const { easy, fetch } = await start();
    const mock = new MockAdapter(easy.axiosRef as never);
    mock.onGet('/bytes').reply(() => [200, Readable.from([new TextEncoder().encode('{"a":1}')])]);
    mock.onGet('/none').reply(204, {});
    expect(await (await fetch('/bytes')).json()).toEqual({ a: 1 });
    const none = await fetch('/none');
    expect([none.headers.get('content-type'), await none.text()]).toEqual([null, '']);
  });

  it('B21: a mock that refuses a token once sees the resend', async () => {
    const { easy, fetch } = await start();
    const seen: unknown[] = [];
    easy.axiosRef.defaults.adapter = (config) => {
      seen.push(config.headers['Authorization'], config.data);
      const status = seen.length > 2 ? 200 : 401;
      return Promise.resolve({ data: 'x', status, statusText: '', headers: {}, config });
    };
    expect((await fetch('/x', { method: 'PUT', body: 'text' })).status).toBe(200);
    expect(seen).toEqual(['Bearer fake-easy-sandbox-1', 'text', 'Bearer fake-easy-sandbox-2', 'text']);
  });

  it('B21: nock answers it', async () => {
    if (!nock.isActive()) nock.activate();
    onTestFinished(() => nock.restore());
    nock(ProviderAuthTestingModule.baseUrl('easy')).get('/x').reply(200, { by: 'nock' });
    const { fetch } = await start();
    const answer = await fetch('/x');
    expect(await answer.json()).toEqual({ by: 'nock' });
  });

  it('B21: can be spied on', async () => {
    const { easy } = await start();
    const spy = vi.spyOn(easy, 'fetch').mockResolvedValue(new Response('spied'));
    expect(await (await easy.fetch('/x')).text()).toBe('spied');
    expect(spy).toHaveBeenCalledWith('/x');
  });

  it('B21: with the real module of withOptions, a mock of axiosRef does not touch fetch', async () => {
    const provider = await startSimulator();
    const app = await Test.createTestingModule({
      imports: [ProviderAuthTestingModule.withOptions(provider.options())],
    }).compile();
    onTestFinished(() => app.close());
    const easy = app.get(EasyHttpService);
    easy.axiosRef.defaults.adapter = () => Promise.reject(new Error('An adapter of the test.'));
    expect((await easy.fetch('/x')).status).toBe(200);
  });
});
