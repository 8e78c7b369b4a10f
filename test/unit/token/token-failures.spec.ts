import { describe, expect, it } from 'vitest';
import { Secret } from '../../../lib/secrets/secret.js';
import {
  networkFailure,
  outlivedFailure,
  refusalFailure,
  secretSourceFailure,
  statusFailure,
  timeoutFailure,
  unusableFailure,
} from '../../../lib/token/token-failures.js';
import { CANARY } from '../../support/token-fixtures.js';

const credentials = [new Secret(CANARY.clientId), new Secret(CANARY.secret)];

function nodeError(code: unknown): Error {
  return Object.assign(new Error(`${CANARY.secret} refused`), { code });
}

describe('networkFailure', () => {
  it.each(['ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET', 'HPE_INVALID_CONSTANT', 'Z_DATA_ERROR', 'EPROTO'])(
    'B6: %s may be over soon',
    (code) => {
      const failure = networkFailure(nodeError(code));
      expect(failure).toMatchObject({ code: 'TOKEN_UNAVAILABLE', transient: true });
      expect(failure.reason).toContain(code);
    },
  );

  it.each([
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'HOSTNAME_MISMATCH',
    'CERT_REVOKED',
    'INVALID_CA',
  ])('B13: %s is a matter of trust and is not retried', (code) => {
    const failure = networkFailure(nodeError(code));
    expect(failure).toMatchObject({ code: 'TOKEN_UNAVAILABLE', transient: false });
    expect(failure.reason).toContain('not trusted');
  });

  it.each([[CANARY.secret], ['ECONN RESET\nforged line'], ['E'.repeat(65)], [7], [undefined], ['lower']])(
    'S10: repeats nothing that is not a code of Node: %j',
    (code) => {
      expect(networkFailure(nodeError(code)).reason).toBe(
        'the token endpoint could not be reached or broke off.',
      );
    },
  );

  it.each([[undefined], [null], ['text'], [7]])('judges %j too, though it is no error', (thrown) => {
    expect(networkFailure(thrown)).toMatchObject({ code: 'TOKEN_UNAVAILABLE', transient: true });
  });
});

describe('refusalFailure', () => {
  it.each(['invalid_client', 'unauthorized_client', 'scope_invalid', 'x y!', 'a'.repeat(64)])(
    'B7: repeats the well-formed code %s',
    (code) => {
      const failure = refusalFailure(401, code, credentials);
      expect(failure).toMatchObject({
        code: 'TOKEN_REJECTED',
        transient: false,
        status: 401,
        oauthError: code,
      });
      expect(failure.reason).toContain(`(${code})`);
    },
  );

  it.each([
    ['nothing', undefined],
    ['an object', {}],
    ['an empty code', ''],
    ['a line break', 'invalid\nERROR forged'],
    ['ANSI', '\u001b[31minvalid'],
    ['a quote', 'in"valid'],
    ['a backslash', 'in\\valid'],
    ['beyond ASCII', 'ungültig'],
    ['65 characters', 'a'.repeat(65)],
  ])('S10: does not repeat %s', (_, code) => {
    const failure = refusalFailure(400, code, credentials);
    expect(failure.oauthError).toBeUndefined();
    expect(failure.reason).toBe('the token endpoint refused the request with status 400.');
  });

  const secret = 'pl4in-S3cret+value/0815 x=';
  it.each([
    ['as it is', secret],
    ['in a sentence', `bad secret ${secret}!`],
    ['percent-encoded', encodeURIComponent(secret)],
    ['form-encoded', new URLSearchParams({ s: secret }).toString().slice(2)],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64url', Buffer.from(secret).toString('base64url')],
    ['in hex', Buffer.from(secret).toString('hex')],
    ['in upper case hex', Buffer.from(secret).toString('hex').toUpperCase()],
    ['cut off', secret.slice(0, 12)],
    ['cut off in a sentence', `not ${secret.slice(3, 15)}!`],
    ['without its beginning', secret.slice(6)],
    ['in upper case', secret.toUpperCase()],
  ])('S10: does not repeat a code that is the secret %s', (_, code) => {
    expect(code.length).toBeLessThanOrEqual(64);
    expect(refusalFailure(401, code, [new Secret(secret)]).oauthError).toBeUndefined();
  });

  it.each([CANARY.clientId, CANARY.secret])('S10: nor one that holds either of two credentials', (echoed) => {
    const code = Buffer.from(echoed).toString('base64');
    expect(refusalFailure(401, code, credentials).oauthError).toBeUndefined();
  });

  it('S10: nor one that holds the client id', () => {
    expect(refusalFailure(401, 'unknown acme-1', [new Secret('acme-1')]).oauthError).toBeUndefined();
  });
});

describe('statusFailure', () => {
  it.each([300, 301, 302, 303, 305, 307, 308, 399])(
    'B13: %i is a redirect, which would carry the secret away',
    (status) => {
      const failure = statusFailure(status, 5_000);
      expect(failure).toMatchObject({ code: 'TOKEN_RESPONSE_INVALID', transient: false, status });
      expect(failure.reason).toContain('redirected');
      expect(failure.retryAfterMs).toBeUndefined();
    },
  );

  it.each([201, 204, 206, 999, 600])('B13: %i is not 200', (status) => {
    expect(statusFailure(status, undefined)).toMatchObject({
      code: 'TOKEN_RESPONSE_INVALID',
      transient: false,
      status,
    });
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 599])('B6: %i may be over soon', (status) => {
    expect(statusFailure(status, 5_000)).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      transient: true,
      status,
      retryAfterMs: 5_000,
    });
  });
});

describe('the other failures', () => {
  it('are told apart by code and by whether another try may help', () => {
    expect(timeoutFailure(1234.5)).toMatchObject({ code: 'TOKEN_UNAVAILABLE', transient: true });
    expect(timeoutFailure(1234.5).reason).toContain('1235 ms');
    expect(unusableFailure('x.')).toMatchObject({
      code: 'TOKEN_RESPONSE_INVALID',
      transient: false,
      status: 200,
    });
    expect(outlivedFailure()).toMatchObject({ code: 'TOKEN_UNAVAILABLE', transient: true, status: 200 });
    expect(secretSourceFailure('failed')).toMatchObject({ code: 'TOKEN_UNAVAILABLE', transient: false });
    expect(secretSourceFailure('slow')).toMatchObject({ code: 'TOKEN_UNAVAILABLE', transient: false });
    expect(secretSourceFailure('slow').reason).not.toBe(secretSourceFailure('failed').reason);
  });
});
