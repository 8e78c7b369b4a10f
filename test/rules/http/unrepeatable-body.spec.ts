import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { given } from '../../support/http/given.js';

describe('B29: a streamed upload that meets a 401', () => {
  it('B29: is one warning with the remedy, not one for each call', async () => {
    const running = await given()
      .simulator({}, ({ api }) => api.unauthorized())
      .app()
      .start();
    const upload = (): Promise<unknown> =>
      running.easy.axiosRef.post('/files', Readable.from(['a body'])).catch((error: unknown) => error);
    for (let calls = 0; calls < 3; calls += 1)
      expect(await upload()).toMatchObject({ response: { status: 401 } });
    // The second one had a renewed token.
    expect(running.status.status()).toContainEqual(
      expect.objectContaining({
        interface: 'easy',
        apiError: expect.objectContaining({ code: 'RENEWALS_PAUSED' }),
      }),
    );
    expect(await upload()).toMatchObject({
      message: expect.stringContaining('renewals after a refusal are paused'),
    });
    const warnings = running.logs.of('ProviderAuth').filter((line) => line.includes('BODY_NOT_REPLAYABLE'));
    const { host } = new URL(running.provider.baseUrl('easy', 'sandbox'));
    expect(warnings).toEqual([
      'warn A request to easy sandbox got a 401 and was not sent again, because its body can be read only once. The ' +
        'token is renewed for the next call. Set token.renewAheadMs, so that no token expires during an upload, or send a ' +
        `body that can be read again, such as a Buffer or a Blob. (BODY_NOT_REPLAYABLE, ${host})`,
    ]);
  });

  it('B33: names no option that has no effect on the tokens of accounts', async () => {
    const running = await given()
      .simulator({}, (provider) => {
        provider.addAccount('one');
        provider.api.unauthorized();
      })
      .app()
      .start();
    const { axiosRef } = running.easy.for({ account: 'one' });
    await axiosRef.post('/files', Readable.from(['a body'])).catch(() => undefined);
    const warnings = running.logs.of('ProviderAuth').filter((line) => line.includes('BODY_NOT_REPLAYABLE'));
    expect(warnings).toEqual([
      expect.stringMatching(/^warn A request to easy sandbox, account one got a 401 /),
    ]);
    expect(warnings).toEqual([
      expect.stringContaining(
        'renewed for the next call. Send a body that can be read again, such as a Buffer or a Blob.',
      ),
    ]);
  });

  it('B29: is no warning where a 401 is never answered by a second attempt', async () => {
    const running = await given()
      .simulator({}, ({ api }) => api.unauthorized())
      .app((provider) => provider.options({ http: { ...provider.options().http, retryUnauthorized: false } }))
      .start();
    await running.easy.axiosRef.post('/files', Readable.from(['a body'])).catch(() => undefined);
    expect(running.logs.of('ProviderAuth').filter((line) => line.startsWith('warn '))).toEqual([]);
  });
});
