import { type AxiosAdapter, type AxiosRequestConfig, getAdapter } from 'axios';
import { describe, expect, it } from 'vitest';
import { undiciTransport } from '../../../lib/undici/index.js';
import { given, type RunningApp } from '../../support/http/given.js';

/** An application whose API never answers. Its own adapter passes each request on with these members. */
async function appWithAdapter(onUndici: boolean, members: () => AxiosRequestConfig): Promise<RunningApp> {
  const running = await given()
    .simulator({}, (provider) => provider.api.path('/silent').hang())
    .app((provider) =>
      provider.options({
        http: onUndici ? { transport: undiciTransport({ connect: { ca: provider.ca } }) } : {},
      }),
    )
    .start();
  const { defaults } = running.easy.axiosRef;
  const inner: AxiosAdapter = getAdapter(defaults.adapter);
  defaults.adapter = (config) => inner(Object.assign(config, members()));
  return running;
}

describe.each([
  ["axios' http adapter", false],
  ['the undici transport', true],
])('B17: %s obeys an adapter of the application', (_, onUndici) => {
  it('that gives a request a shorter timeout', async () => {
    const { easy } = await appWithAdapter(onUndici, () => ({ timeout: 100 }));
    await expect(easy.axiosRef.get('/silent')).rejects.toMatchObject({
      code: 'ECONNABORTED',
      message: 'timeout of 100ms exceeded',
    });
  });

  it('that gives a request a signal', async () => {
    const { easy } = await appWithAdapter(onUndici, () => ({ signal: AbortSignal.timeout(100) }));
    await expect(easy.axiosRef.get('/silent')).rejects.toMatchObject({ code: 'ERR_CANCELED' });
  });
});
