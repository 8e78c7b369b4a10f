import { firstValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import { OriginationsHttpService } from '../../../lib/index.js';
import { given, TRANSPORT } from '../../support/http/given.js';
import { messagesOf } from '../../support/token/events.js';

it('B14: uses the connections that its suite names', async () => {
  const sent = messagesOf<{ request: { origin: unknown } }>('undici:client:sendHeaders');
  const { answer, provider } = await given()
    .app()
    .call(({ easy }) => easy.get('/payments'));
  expect(answer?.status).toBe(200);
  // Other specs share this process.
  const own = sent.filter(({ request }) => request.origin === provider.origin);
  expect(own).toHaveLength(TRANSPORT === 'undici' ? 1 : 0);
});

it("S6: an authorized call carries a token of its interface and environment, in the form of the provider's document", async () => {
  const { answer, provider } = await given()
    .app()
    .call(({ easy }) => easy.get('/payments/1', { params: { full: true } }));
  expect(answer?.status).toBe(200);
  expect(provider.apiRequests).toHaveLength(1);
  const [request] = provider.apiRequests;
  expect(request?.path).toBe('/payments/1?full=true');
  expect(request?.headers.authorization).toBe(`Bearer ${provider.tokenRequests[0]?.token}`);
  expect(request?.claims).toMatchObject({ interface: 'easy', environment: 'sandbox' });
});

it('S5: an authorized call never carries a token of another interface', async () => {
  const { app, easy, provider } = await given().app().start();
  await firstValueFrom(easy.get('/payments'));
  await firstValueFrom(app.get(OriginationsHttpService).get('/loans'));
  expect(provider.tokenRequests.map((request) => request.interface)).toEqual(['easy', 'originations']);
  expect(provider.apiRequests.map((request) => request.claims?.interface)).toEqual(['easy', 'originations']);
});

it('S7: an authorized call is not sent if no token is available', async () => {
  const { error, provider } = await given()
    .simulator({}, ({ token }) => token.refuse('invalid_client'))
    .app()
    .call(({ easy }) => easy.get('/payments'));
  expect(error).toMatchObject({ name: 'TokenRequestError', code: 'TOKEN_REJECTED' });
  expect(provider.apiRequests).toEqual([]);
});

it.each([{ headers: { authorization: 'Basic bWU6bXk=' } }, { auth: { username: 'me', password: 'my' } }])(
  'R25: an authorized call is sent unchanged with its own credentials, and keeps its 401: %j',
  async (own) => {
    const { error, provider } = await given()
      .app()
      .call(({ easy }) => easy.get('/payments', own));
    expect(error).toMatchObject({ response: { status: 401 } });
    expect(provider.apiRequests.map(({ headers }) => headers.authorization)).toEqual(['Basic bWU6bXk=']);
    expect(provider.tokenRequests).toEqual([]);
  },
);
