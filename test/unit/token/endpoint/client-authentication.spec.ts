import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { ASSERTION_TYPE } from '../../../../lib/catalogue/wire.js';
import { ClientCredential } from '../../../../lib/secrets/client-credential.js';
import { Secret } from '../../../../lib/secrets/secret.js';
import { proveClient } from '../../../../lib/token/endpoint/client-authentication.js';
import { CANARY } from '../../../support/token/token-fixtures.js';

const audience = 'https://login.example/token';
const now = Date.UTC(2026, 0, 1) + 999;
const clientId = new Secret(CANARY.clientId);
const secret = new ClientCredential(CANARY.secret);
const client = { clientId, secret, audience, now };

describe('how a client shows who it is', () => {
  it('S2: by the two fields of the form', () => {
    expect(proveClient('post', client)).toEqual({
      fields: { client_id: CANARY.clientId, client_secret: CANARY.secret },
      headers: {},
      assertion: undefined,
    });
  });

  it('B24: by Basic authentication, with both values encoded as in a form', () => {
    const { fields, headers, assertion } = proveClient('basic', client);
    expect([fields, assertion]).toEqual([{}, undefined]);
    const [scheme, credentials = ''] = headers['Authorization']?.split(' ') ?? [];
    expect([scheme, Object.keys(headers)]).toEqual(['Basic', ['Authorization']]);
    const decoded = Buffer.from(credentials, 'base64').toString().split(':');
    // A form holds the values in the same encoding.
    expect(decoded.map((one) => new URLSearchParams(`value=${one}`).get('value'))).toEqual([
      CANARY.clientId,
      CANARY.secret,
    ]);
  });

  it('B24: by Basic authentication without a client id', () => {
    const { headers } = proveClient('basic', { ...client, clientId: undefined });
    const credentials = Buffer.from(headers['Authorization']?.slice('Basic '.length) ?? '', 'base64');
    expect(credentials.toString()).toMatch(/^:.+/);
  });

  it('B32: by its certificate, and the client id only if there is one', () => {
    const proof = { headers: {}, assertion: undefined };
    const fields = { client_id: CANARY.clientId };
    expect(proveClient('tls_client_auth', client)).toEqual({ fields, ...proof });
    expect(proveClient('tls_client_auth', { ...client, clientId: undefined })).toEqual({
      fields: {},
      ...proof,
    });
  });

  it('B32: by an assertion of another system, which is the secret itself', () => {
    const given = { client_assertion_type: ASSERTION_TYPE, client_assertion: CANARY.secret };
    expect(proveClient('client_assertion', client)).toEqual({
      fields: { client_id: CANARY.clientId, ...given },
      headers: {},
      assertion: undefined,
    });
    expect(proveClient('client_assertion', { ...client, clientId: undefined }).fields).toEqual(given);
  });

  describe('by an assertion that its private key signs', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const keyId = randomUUID();
    const terms = { audience: 'issuer', type: 'client-authentication+jwt', lifetimeSeconds: 60 } as const;
    const signing = {
      ...client,
      secret: new ClientCredential(pem, { keyId, algorithm: 'ES256' }),
      assertion: terms,
    };

    it('B24: has the claims of RFC 7523, and a header that names key and type', async () => {
      const { fields, headers, assertion } = proveClient('private_key_jwt', signing);
      const { client_assertion: sent = '', ...others } = fields;
      expect([others, headers]).toEqual([
        { client_id: CANARY.clientId, client_assertion_type: ASSERTION_TYPE },
        {},
      ]);
      expect(assertion?.reveal()).toBe(sent);
      const { payload, protectedHeader } = await jwtVerify(sent, createPublicKey(privateKey), {
        currentDate: new Date(now),
      });
      const issuedAt = Math.floor(now / 1000);
      expect(payload).toEqual({
        iss: CANARY.clientId,
        sub: CANARY.clientId,
        aud: audience,
        jti: payload.jti,
        iat: issuedAt,
        exp: issuedAt + 60,
      });
      expect(protectedHeader).toEqual({ alg: 'ES256', kid: keyId, typ: terms.type });
    });

    it('B24: is another one for each attempt', () => {
      const [one, other] = [proveClient('private_key_jwt', signing), proveClient('private_key_jwt', signing)];
      expect(one.assertion?.reveal()).not.toBe(other.assertion?.reveal());
    });

    it('B24: is never made for a client without terms for it', () => {
      expect(() => proveClient('private_key_jwt', { ...signing, assertion: undefined })).toThrow(
        new TypeError('This client signs no assertions.'),
      );
    });
  });
});
