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

  it('S3: never gives the same token twice', async () => {
    const provider = await startSimulator();
    const answers = await Promise.all(Array.from({ length: 20 }, () => askForToken(provider)));
    expect(new Set(answers.map(({ json }) => json['access_token'])).size).toBe(20);
  });

  it('S4: has the documented paths, one for originations and one for each environment of easy', async () => {
    const provider = await startSimulator();
    const urls = ALL_PAIRS.map((pair) => new URL(provider.tokenUrl(...pair)));
    const [sandbox, production, easySandbox, easyProduction] = urls.map(({ href }) => href);
    expect(sandbox).toBe(production);
    expect(easySandbox).not.toBe(easyProduction);
    expect(urls.map(({ pathname }) => pathname)).toEqual([
      expect.stringMatching(/\/oauth\/token$/),
      expect.stringMatching(/\/oauth\/token$/),
      expect.stringMatching(/\/auth\/v0\/connect\/token$/),
      expect.stringMatching(/\/auth\/v0\/connect\/token$/),
    ]);
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('S1: refuses %s', async (method) => {
    const provider = await startSimulator();
    const { status, headers, json } = await askForToken(provider, 'easy', 'sandbox', { method });
    expect({ status, allow: headers.allow, error: json['error'] }).toEqual({
      status: 405,
      allow: 'POST',
      error: 'invalid_request',
    });
  });

  it.each([
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded; charset=latin1',
    'application/x-www-form-urlencoded-not',
  ])('S2: refuses the content type %s', async (contentType) => {
    const provider = await startSimulator();
    const { status, json } = await askForToken(provider, 'easy', 'sandbox', {
      headers: { 'content-type': contentType },
    });
    expect({ status, error: json['error'] }).toEqual({ status: 400, error: 'invalid_request' });
  });

  it.each(['Application/X-WWW-Form-Urlencoded', 'application/x-www-form-urlencoded;charset=UTF-8'])(
    'S2: accepts the content type %s',
    async (contentType) => {
      const provider = await startSimulator();
      const { status } = await askForToken(provider, 'easy', 'sandbox', {
        headers: { 'content-type': contentType },
      });
      expect(status).toBe(200);
    },
  );

  it.each(['grant_type', 'client_id', 'client_secret'] as const)(
    'S2: refuses a request without %s',
    async (field) => {
      const provider = await startSimulator();
      const { [field]: value, ...others } = formOf(provider, 'easy', 'sandbox');
      const bodies = [encoded(others), encoded({ ...others, [field]: '' })];
      for (const body of bodies) {
        const { status, json } = await askForToken(provider, 'easy', 'sandbox', { body });
        expect({ status, error: json['error'] }).toEqual({ status: 400, error: 'invalid_request' });
      }
      const { status } = await askForToken(provider, 'easy', 'sandbox', {
        body: encoded({ ...others, [field]: value }),
      });
      expect(status).toBe(200);
    },
  );

  it.each(['grant_type', 'client_id', 'client_secret'] as const)(
    'S2: refuses a repeated %s',
    async (field) => {
      const provider = await startSimulator();
      const form = formOf(provider, 'easy', 'sandbox');
      const body = encoded([...Object.entries(form), [field, form[field]]]);
      const { status, json } = await askForToken(provider, 'easy', 'sandbox', { body });
      expect({ status, error: json['error'] }).toEqual({ status: 400, error: 'invalid_request' });
    },
  );

  it.each(['scope', 'audience', 'resource', '__proto__'])(
    'S2: refuses the additional field %s',
    async (field) => {
      const provider = await startSimulator();
      const form = Object.entries(formOf(provider, 'easy', 'sandbox'));
      const { status, json } = await askForToken(provider, 'easy', 'sandbox', {
        body: encoded([...form, [field, '']]),
      });
      expect({ status, error: json['error'] }).toEqual({ status: 400, error: 'invalid_request' });
    },
  );

  it('S2: refuses another grant', async () => {
    const provider = await startSimulator();
    const body = encoded({ ...formOf(provider, 'easy', 'sandbox'), grant_type: 'password' });
    const { status, json } = await askForToken(provider, 'easy', 'sandbox', { body });
    expect({ status, error: json['error'] }).toEqual({ status: 400, error: 'unsupported_grant_type' });
  });

  it.each([
    ['an escape that is none', '%zz'],
    ['an escape cut short', '%e'],
    ['bytes that are not UTF-8', '%ff'],
    ['a character that is not encoded', 'ü'],
    ['a space', ' '],
  ])('S2: refuses a secret with %s', async (_, wrong) => {
    const provider = await startSimulator();
    const body = encoded(formOf(provider, 'easy', 'sandbox')) + wrong;
    const { status, json } = await askForToken(provider, 'easy', 'sandbox', { body });
    expect({ status, error: json['error'] }).toEqual({ status: 400, error: 'invalid_request' });
  });

  it('S2: refuses credentials in the URL, but not another query', async () => {
    const provider = await startSimulator();
    const base = provider.tokenUrl('easy', 'sandbox');
    const { client_id: clientId } = formOf(provider, 'easy', 'sandbox');
    const inUrl = await askForToken(provider, 'easy', 'sandbox', { url: `${base}?client_id=${clientId}` });
    const other = await askForToken(provider, 'easy', 'sandbox', { url: `${base}?tenant=7` });
    expect([inUrl.status, inUrl.json['error'], other.status]).toEqual([400, 'invalid_request', 200]);
  });

  it('S2: refuses credentials in the Authorization header', async () => {
    const provider = await startSimulator();
    const { client_id: id, client_secret: secret } = formOf(provider, 'easy', 'sandbox');
    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const alone = await askForToken(provider, 'easy', 'sandbox', {
      headers: { authorization },
      body: encoded({ grant_type: 'client_credentials' }),
    });
    const besides = await askForToken(provider, 'easy', 'sandbox', { headers: { authorization } });
    expect([alone.status, alone.json['error']]).toEqual([401, 'invalid_client']);
    expect(alone.headers['www-authenticate']).toMatch(/^Basic /);
    expect([besides.status, besides.json['error']]).toEqual([400, 'invalid_request']);
  });

  it('S5: refuses a wrong secret with 401 and a challenge', async () => {
    const provider = await startSimulator();
    const body = encoded({ ...formOf(provider, 'easy', 'sandbox'), client_secret: 'not-the-secret' });
    const { status, headers, json } = await askForToken(provider, 'easy', 'sandbox', { body });
    expect({ status, error: json['error'] }).toEqual({ status: 401, error: 'invalid_client' });
    expect(headers['www-authenticate']).toMatch(/^Basic /);
    expect(headers['cache-control']).toBe('no-store');
  });

  it.each([
    ['easy', 'production', 'easy', 'sandbox'],
    ['easy', 'sandbox', 'easy', 'production'],
    ['originations', 'sandbox', 'easy', 'sandbox'],
    ['easy', 'sandbox', 'originations', 'sandbox'],
  ] as const)(
    'S5: refuses the credentials of %s %s at %s %s',
    async (name, environment, atName, atEnvironment) => {
      const provider = await startSimulator();
      const url = provider.tokenUrl(atName, atEnvironment);
      const { status, json } = await askForToken(provider, name, environment, { url });
      expect({ status, error: json['error'] }).toEqual({ status: 401, error: 'invalid_client' });
    },
  );

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
