import http from 'node:http';
import { once } from 'node:events';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { ALL_PAIRS, askForToken, formOf, startSimulator } from '../../support/application/simulator.js';

const encoded = (fields: Record<string, string> | [string, string][]): string =>
  new URLSearchParams(fields).toString();

describe('the token endpoint of the simulator', () => {
  it.each(ALL_PAIRS)(
    'S3: gives %s %s a bearer token and says how long it lives',
    async (name, environment) => {
      const provider = await startSimulator({ lifetimeSeconds: 90 });
      const { status, headers, json } = await askForToken(provider, name, environment);
      expect(status).toBe(200);
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
      expect(json).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 90 });
    },
  );

  it.each(ALL_PAIRS)(
    'S5: signs the interface and environment into the token of %s %s',
    async (name, environment) => {
      const provider = await startSimulator({ lifetimeSeconds: 90 });
      const { json } = await askForToken(provider, name, environment);
      const keys = createLocalJWKSet(provider.jwks());
      const { payload } = await jwtVerify(String(json['access_token']), keys, {
        issuer: provider.origin,
        audience: provider.baseUrl(name, environment),
        requiredClaims: ['sub', 'iat', 'exp', 'jti'],
      });
      expect(payload).toMatchObject({ interface: name, environment });
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBeGreaterThanOrEqual(90);
    },
  );

  it('S5: refuses a wrong secret with 401 and a challenge', async () => {
    const provider = await startSimulator();
    const body = encoded({ ...formOf(provider, 'easy', 'sandbox'), client_secret: 'not-the-secret' });
    const { status, headers, json } = await askForToken(provider, 'easy', 'sandbox', { body });
    expect({ status, error: json['error'] }).toEqual({ status: 401, error: 'invalid_client' });
    expect(headers['www-authenticate']).toMatch(/^Basic /);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('S5: refuses the client id of one environment with the secret of another', async () => {
    const provider = await startSimulator();
    const { client_secret } = formOf(provider, 'originations', 'production');
    const body = encoded({ ...formOf(provider, 'originations', 'sandbox'), client_secret });
    const { status } = await askForToken(provider, 'originations', 'sandbox', { body });
    expect(status).toBe(401);
  });

  it.each(['a&b=c', '+ %2B', 'ünï©ødé 🗝', '"\\\n'])(
    'S2: accepts the secret %j once it is encoded',
    async (secret) => {
      const provider = await startSimulator();
      const before = encoded(formOf(provider, 'easy', 'sandbox'));
      expect(provider.rotateSecret('easy', 'sandbox', secret)).toBe(secret);
      const now = await askForToken(provider);
      const old = await askForToken(provider, 'easy', 'sandbox', { body: before });
      expect([now.status, old.status]).toEqual([200, 401]);
    },
  );

  it('B8: refuses the old secret as soon as it is rotated, in one environment only', async () => {
    const provider = await startSimulator();
    const before = encoded(formOf(provider, 'easy', 'sandbox'));
    const secret = provider.rotateSecret('easy', 'sandbox');
    expect(provider.credentials('easy', 'sandbox').clientSecret).toBe(secret);
    const old = await askForToken(provider, 'easy', 'sandbox', { body: before });
    const now = await askForToken(provider);
    const other = await askForToken(provider, 'easy', 'production');
    expect([old.status, now.status, other.status]).toEqual([401, 200, 200]);
  });

  it('S9: answers nothing over plain HTTP', async () => {
    const provider = await startSimulator();
    const plain = http.request(provider.tokenUrl('easy', 'sandbox').replace('https:', 'http:'), {
      method: 'POST',
    });
    plain.end(encoded(formOf(provider, 'easy', 'sandbox')));
    const [error] = await once(plain, 'error');
    expect(error).toMatchObject({ code: expect.stringMatching(/ECONNRESET|EPIPE|HPE_/) });
    expect(provider.tokenRequests).toEqual([]);
  });

  it('S8: records each request with its content, its pair and the answer', async () => {
    const provider = await startSimulator();
    const { json } = await askForToken(provider, 'originations', 'production', {
      headers: { 'x-call': '7' },
    });
    await askForToken(provider, 'originations', 'sandbox', {
      body: 'grant_type=client_credentials&client_id=unknown',
    });
    const [good, bad] = provider.tokenRequests;
    expect(good).toMatchObject({
      interface: 'originations',
      environment: 'production',
      method: 'POST',
      path: '/originations/oauth/token',
      status: 200,
      fields: formOf(provider, 'originations', 'production'),
      headers: { 'x-call': '7', 'content-type': 'application/x-www-form-urlencoded' },
      token: json['access_token'],
    });
    expect(good?.body.toString()).toBe(encoded(formOf(provider, 'originations', 'production')));
    expect(bad).toMatchObject({
      interface: 'originations',
      environment: undefined,
      status: 400,
      token: undefined,
    });
    provider.reset();
    expect(provider.tokenRequests).toEqual([]);
  });
});
