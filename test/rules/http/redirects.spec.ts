import type { AxiosRequestConfig } from 'axios';
import { expect, it, onTestFinished } from 'vitest';
import { type ProviderSimulator } from '../../../lib/testing/index.js';
import { given } from '../../support/http/given.js';
import { trust } from '../../support/http/trusted-authority.js';
import { pathsTo } from '../../support/secrets/walk.js';
import { startSimulator } from '../../support/application/simulator.js';

interface Journey {
  readonly location: (provider: ProviderSimulator, stranger: ProviderSimulator) => string;
  readonly request?: AxiosRequestConfig;
  readonly status?: number;
  readonly maxRedirects?: number;
}

/** One call to an API that redirects the call, and another server as a possible target. */
async function follow({ location, request = {}, status = 302, maxRedirects = 5 }: Journey) {
  const stranger = await startSimulator();
  onTestFinished(trust(stranger.ca));
  const result = await given()
    .simulator({}, (provider) => {
      provider.api.path('/start').redirect(location(provider, stranger), status);
    })
    .app((provider) => {
      // The pair trusts `ca` for its API only, and not for another address of the same server.
      onTestFinished(trust(provider.ca));
      return provider.options({ http: { maxRedirects } });
    })
    .call(({ easy }) => easy.request({ url: '/start', ...request }));
  return { ...result, stranger, token: result.provider.tokenRequests[0]?.token ?? 'none' };
}

const under = (provider: ProviderSimulator): string => `${provider.baseUrl('easy', 'sandbox')}/end`;

it('R11: a redirect is followed with the token under the base URL', async () => {
  const { answer, provider, token } = await follow({ location: under });
  expect(answer?.status).toBe(200);
  expect(provider.apiRequests.map(({ path }) => path)).toEqual(['/start', '/end']);
  expect(provider.apiRequests[1]?.headers.authorization).toBe(`Bearer ${token}`);
  expect(answer?.request).toMatchObject({ res: { responseUrl: under(provider) } });
  expect(pathsTo(token, answer)).toEqual([]);
});

it.each<[string, Journey['location']]>([
  ['another origin', (_, stranger) => `${stranger.origin}/easy/sandbox/v1/x`],
  ['another port by name', (_, stranger) => stranger.origin.replace('127.0.0.1', 'localhost')],
])('R10 R13: a redirect is followed without the token to %s', async (_, location) => {
  const { stranger, token } = await follow({ location });
  expect(stranger.apiRequests).toHaveLength(1);
  expect(pathsTo(token, stranger.apiRequests[0]?.headers)).toEqual([]);
});

it.each<[string, Journey['location']]>([
  ['outside of the base path', (provider) => `${provider.origin}/elsewhere`],
  ['out of it by dot segments', () => '../../../elsewhere'],
])('S6: a redirect is followed without the token %s', async (_, location) => {
  const { provider } = await follow({ location });
  expect(provider.apiRequests).toHaveLength(2);
  expect(provider.apiRequests[1]?.headers.authorization).toBeUndefined();
});

it('R10: a redirect to another server that answers 401 renews nothing', async () => {
  const { error, provider, stranger } = await follow({
    // The other server answers 401 to requests without its own token.
    location: (_, stranger) => under(stranger),
  });
  expect(error).toMatchObject({ response: { status: 401 } });
  expect(stranger.apiRequests).toHaveLength(1);
  expect(provider.tokenRequests).toHaveLength(1);
  expect(provider.apiRequests).toHaveLength(1);
});

it('R13 S9: a redirect to http is refused', async () => {
  const { error, provider, token } = await follow({
    location: () => 'http://127.0.0.1:9/easy/sandbox/v1/x',
  });
  expect(provider.apiRequests).toHaveLength(1);
  expect(error).toMatchObject({ name: 'RequestRefusedError', code: 'INSECURE_REDIRECT' });
  expect(pathsTo(token, error)).toEqual([]);
});

it('R14: a redirect by 307 is followed with the body and without the token', async () => {
  const { stranger, token } = await follow({
    location: (_, { origin }) => `${origin}/x`,
    status: 307,
    request: { method: 'POST', data: { mine: true } },
  });
  expect(stranger.apiRequests).toHaveLength(1);
  expect(stranger.apiRequests[0]?.body.toString()).toBe('{"mine":true}');
  expect(pathsTo(token, stranger.apiRequests[0]?.headers)).toEqual([]);
});

it('R12: a redirect in an endless circle is ended', async () => {
  const { error, provider, token } = await follow({ location: () => 'start', maxRedirects: 3 });
  expect(error).toMatchObject({ code: 'ERR_FR_TOO_MANY_REDIRECTS' });
  expect(provider.apiRequests).toHaveLength(4);
  expect(pathsTo(token, error)).toEqual([]);
});
