import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { undiciTransport } from '../../../lib/undici/index.js';
import { given } from '../../support/http/given.js';

describe.each(['the default transport', 'undici'])('an application that closes, on %s', (name) => {
  const start = () =>
    given()
      .simulator({})
      .app((provider) =>
        provider.options(name === 'undici' ? { http: { transport: undiciTransport() } } : {}),
      )
      .start();

  it('B9: lets calls finish that wait for their first token', async () => {
    const { app, easy, provider } = await start();
    const held = provider.token.next().hold();
    const call = lastValueFrom(easy.get('/things'));
    await held.arrived;
    const closed = app.close();
    await new Promise(setImmediate);
    held.release();
    expect((await call).status).toBe(200);
    await closed;
  });

  it('B9: lets calls finish that wait for a new token after a 401', async () => {
    const { app, easy, provider } = await start();
    await lastValueFrom(easy.get('/things'));
    provider.token.revokeAll();
    const held = provider.token.next().hold();
    const calls = [lastValueFrom(easy.get('/things')), easy.fetch('/things')];
    await held.arrived;
    const closed = app.close();
    await new Promise(setImmediate);
    held.release();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
    await closed;
  });
});
