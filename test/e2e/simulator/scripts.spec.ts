import { once } from 'node:events';
import { request } from 'node:https';
import { describe, expect, it } from 'vitest';
import {
  askForToken,
  callApi,
  outcome,
  startSimulator,
  statuses,
  tokenOf,
} from '../../support/application/simulator.js';

describe('the queue of scripts', () => {
  it('keeps a script until the reset, unless the script has a number of requests', async () => {
    const provider = await startSimulator();
    provider.token.status(503);
    expect(await statuses(provider, 3)).toEqual([503, 503, 503]);
    provider.api.status(503);
    provider.api.early().status(503);
    provider.reset();
    const { status } = await callApi(provider, await tokenOf(provider));
    expect(status).toBe(200);
  });

  it('uses scripts with a number first, in the order of creation', async () => {
    const provider = await startSimulator();
    provider.token.status(500);
    provider.token.next().status(503);
    provider.token.next(2).status(429);
    provider.token.next(0).status(418);
    expect(await statuses(provider, 4)).toEqual([503, 429, 429, 500]);
    provider.token.status(502);
    expect(await statuses(provider, 1)).toEqual([502]);
  });

  it('can have a regular answer between two scripts', async () => {
    const provider = await startSimulator();
    provider.token.next().status(503);
    provider.token.next().regular();
    provider.token.next().status(502);
    expect(await statuses(provider, 4)).toEqual([503, 200, 502, 200]);
  });

  it('uses a script for one interface and environment only there', async () => {
    const provider = await startSimulator();
    provider.token.for('easy', 'sandbox').next().status(503);
    provider.token.for('originations').status(502);
    const answers = [
      await askForToken(provider, 'easy', 'production'),
      await askForToken(provider, 'originations', 'sandbox'),
      await askForToken(provider, 'easy', 'sandbox'),
      await askForToken(provider, 'easy', 'sandbox'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 502, 503, 200]);
  });

  it('finds the environment of originations by the credentials', async () => {
    const provider = await startSimulator();
    provider.token.for('originations', 'production').status(503);
    const answers = [
      await askForToken(provider, 'originations', 'sandbox'),
      await askForToken(provider, 'originations', 'production'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 503]);
  });

  it('does not use a scope for the next script', async () => {
    const provider = await startSimulator();
    provider.token.for('easy').next().status(503);
    provider.token.next().status(502);
    expect(await outcome(askForToken(provider, 'originations', 'sandbox'))).toBe(502);
  });
});

describe('a script of the API', () => {
  it('gets only requests with a valid token, and only these requests count', async () => {
    const provider = await startSimulator();
    provider.api.next().body({ id: 7 }, { status: 201 });
    const token = await tokenOf(provider);
    const refused = await callApi(provider, 'unknown');
    const { status, json } = await callApi(provider, token);
    expect([refused.status, status, json]).toEqual([401, 201, { id: 7 }]);
  });

  it('can be for one path with any query, or for a regular expression', async () => {
    const provider = await startSimulator();
    provider.api.path('/payments').status(202);
    provider.api.path('refunds/1').status(204);
    provider.api.path('/').status(205);
    provider.api
      .for('easy')
      .path(/\?state=open$/g)
      .status(203);
    const token = await tokenOf(provider);
    const got: number[] = [];
    const paths = ['/payments', '/payments?page=2', '/payments/7', '/refunds/1', '?page=2'];
    for (const path of [...paths, '/x?state=open', '/x?state=open']) {
      const { status } = await callApi(provider, token, path);
      got.push(status);
    }
    expect(got).toEqual([202, 202, 200, 204, 205, 203, 203]);
  });

  it('B3: refuses valid tokens, for some requests or always', async () => {
    const provider = await startSimulator();
    const token = await tokenOf(provider);
    provider.api.next(2).unauthorized();
    const got: unknown[] = [];
    for (let call = 0; call < 3; call += 1) {
      const { status, headers } = await callApi(provider, token);
      got.push(status === 401 ? headers['www-authenticate'] : status);
    }
    expect(got).toEqual(['Bearer error="invalid_token"', 'Bearer error="invalid_token"', 200]);
  });

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
