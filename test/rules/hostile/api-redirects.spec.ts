import { lastValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import { axiosVersion } from '../../../lib/values/axios-version.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { fetchTrusting } from '../../support/http/fetch-adapter.js';
import { given } from '../../support/http/given.js';
import { startSimulator } from '../../support/application/simulator.js';
import { errorOf } from '../../support/token/token-fixtures.js';

it('is run on the axios that its suite names', () => {
  expect(axiosVersion()).toBe(process.env['TEST_AXIOS'] ?? axiosVersion());
});

const redirecting = (other: ProviderSimulator) =>
  given()
    .simulator({}, (simulator) => {
      simulator.api.path('/within').redirect('things');
      simulator.api.path('/outside').redirect(`${simulator.origin}/other-account/collect`);
      simulator.api.path('/elsewhere').redirect(`${other.origin}/collect`);
      simulator.api.path('/insecure').redirect('http://127.0.0.1:1/collect');
    })
    // The adapter 'fetch' cannot carry `tls`.
    .app((simulator) => simulator.options({ http: { httpsAgent: simulator.agent() } }))
    .start();

it('S6: the fetch adapter follows no redirect by default', async () => {
  const other = await startSimulator();
  const { easy, provider } = await redirecting(other);
  for (const path of ['/within', '/outside', '/elsewhere', '/insecure'])
    expect(await errorOf(lastValueFrom(easy.get(path, fetchTrusting(provider.ca))))).toMatchObject({
      response: { status: 302 },
    });
  expect(provider.apiRequests).toHaveLength(4);
  expect(other.apiRequests).toEqual([]);
});

it('S6: redirects of the fetch adapter are followed as all redirects are', async () => {
  const other = await startSimulator();
  const { easy, provider } = await redirecting(other);
  const request = { ...fetchTrusting(provider.ca), maxRedirects: 3, validateStatus: () => true };
  expect((await lastValueFrom(easy.get('/within', request))).status).toBe(200);
  await lastValueFrom(easy.get('/outside', request));
  expect(provider.apiRequests.map(({ headers }) => headers.authorization !== undefined)).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(await errorOf(lastValueFrom(easy.get('/insecure', request)))).toMatchObject({
    code: 'INSECURE_REDIRECT',
  });
});
