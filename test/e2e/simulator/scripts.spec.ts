import { once } from 'node:events';
import { request } from 'node:https';
import { describe, expect, it } from 'vitest';
import {
  askForToken,
  callApi,
  outcome,
  startSimulator,
  tokenOf,
} from '../../support/application/simulator.js';

describe('the queue of scripts', () => {
  it('finds the environment of originations by the credentials', async () => {
    const provider = await startSimulator();
    provider.token.for('originations', 'production').status(503);
    const answers = [
      await askForToken(provider, 'originations', 'sandbox'),
      await askForToken(provider, 'originations', 'production'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 503]);
  });
});

describe('a script of the API', () => {
  it('has the same faults as the token endpoint', async () => {
    const provider = await startSimulator();
    const token = await tokenOf(provider);
    provider.api.next().reset();
    provider.api.next().reset('mid-body');
    provider.api.next().garbage();
    provider.api.next().redirect('/elsewhere');
    provider.api.next().retryAfter(1);
    provider.api.next().body((regular) => regular.toUpperCase());
    const got: (number | string)[] = [];
    for (let call = 0; call < 5; call += 1) got.push(await outcome(callApi(provider, token)));
    expect(got).toEqual(['ECONNRESET', 'ECONNRESET', expect.stringMatching(/^HPE_/), 302, 503]);
    const { text } = await callApi(provider, token);
    expect(text).toContain('"METHOD":"GET"');
  });

  it('holds an answer while the token is revoked', async () => {
    const provider = await startSimulator();
    const token = await tokenOf(provider);
    const held = provider.api.hold();
    const call = callApi(provider, token);
    await held.arrived;
    provider.token.revokeAll();
    held.release();
    const [during, after] = [await call, await callApi(provider, token)];
    expect([during.status, after.status]).toEqual([200, 401]);
  });

  it('B4: can answer before the body of an upload has arrived', async () => {
    const provider = await startSimulator();
    const token = await tokenOf(provider);
    provider.api.early().next().unauthorized();
    const upload = request(provider.baseUrl('easy', 'sandbox'), {
      agent: provider.httpsAgent,
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    upload.write('the first of many bytes');
    const [response] = await once(upload, 'response');
    expect(response.statusCode).toBe(401);
    upload.end();
    response.resume();
    await once(response, 'end');
    const { status } = await callApi(provider, token, '/', { method: 'POST', body: 'all' });
    expect(status).toBe(200);
    expect(provider.apiRequests.map(({ body }) => body.toString())).toEqual(['', 'all']);
  });
});
