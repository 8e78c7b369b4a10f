import { describe, expect, it } from 'vitest';
import type { InterfaceTerms } from '../../../../lib/catalogue/catalogue.js';
import { UnknownAccountError } from '../../../../lib/config/account-source.js';
import { UnreadableSecretError } from '../../../../lib/config/secret-sources/secret-sources.js';
import { remedyOf, trustPrivateAuthority } from '../../../../lib/errors/remedies.js';
import { Secret } from '../../../../lib/secrets/secret.js';
import {
  expiredAssertionFailure,
  networkFailure,
  outlivedFailure,
  proxyFailure,
  refusalFailure,
  secretSourceFailure,
  statusFailure,
  timeoutFailure,
  unsafeAgentFailure,
  unusableFailure,
} from '../../../../lib/token/endpoint/token-failures.js';
import { CANARY, profileOf } from '../../../support/token/token-fixtures.js';

const credentials = { clientId: new Secret(CANARY.clientId), clientSecret: new Secret(CANARY.secret) };
const pair = profileOf();

function nodeError(code: unknown): Error {
  return Object.assign(new Error(`${CANARY.secret} refused`), { code });
}

const EXPIRED = { valid_from: 'May  1 09:00:00 2019 GMT', valid_to: 'May  4 09:00:00 2020 GMT' };
const VALID = { valid_from: 'May  1 09:00:00 2019 GMT', valid_to: 'May  4 09:00:00 2920 GMT' };
const TOO_NEW = { valid_from: 'May  1 09:00:00 2919 GMT', valid_to: 'May  4 09:00:00 2920 GMT' };

const ofOwn = (terms: InterfaceTerms) => ({ ...pair, provider: 'partner', interface: 'orders', terms });

describe('networkFailure', () => {
  it.each(['ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET', 'HPE_INVALID_CONSTANT', 'Z_DATA_ERROR', 'EPROTO'])(
    'B6: %s may be over soon',
    (code) => {
      const failure = networkFailure(nodeError(code), pair);
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
    const failure = networkFailure(nodeError(code), pair);
    expect(failure).toMatchObject({ code: 'TOKEN_UNAVAILABLE', transient: false });
    expect(failure.reason).toMatch(/^the token endpoint's certificate (is|or that) /);
  });

  it.each([
    ['CERT_HAS_EXPIRED', EXPIRED, 'expired on 2020-05-04'],
    ['CERT_HAS_EXPIRED', VALID, 'has not expired, but a certificate above it in the chain has'],
    ['CERT_HAS_EXPIRED', {}, 'or that of an authority above it has expired'],
    ['CERT_NOT_YET_VALID', TOO_NEW, 'is not valid before 2919-05-01'],
    ['CERT_NOT_YET_VALID', VALID, 'is valid, but that of an authority above it is not valid yet'],
    ['CERT_NOT_YET_VALID', {}, 'or that of an authority above it is not valid yet'],
    ['CERT_REVOKED', EXPIRED, 'is not trusted'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', VALID, 'is for another host name'],
  ])('B35: %s of %j: the certificate %s', (code, certificate, words) => {
    expect(networkFailure(nodeError(code), pair, undefined, certificate as typeof EXPIRED).reason).toBe(
      `the token endpoint's certificate ${words} (${code}).`,
    );
  });

  it.each([
    [CANARY.secret],
    ['ECONN RESET\nforged line'],
    ['E'.repeat(65)],
    [7],
    [undefined],
    ['lower'],
    [['EPROTO']],
  ])('S10: repeats nothing that is not a code of Node: %j', (code) => {
    expect(networkFailure(nodeError(code), pair).reason).toBe(
      'the token endpoint could not be reached or broke off.',
    );
  });

  it.each([[undefined], [null], ['text'], [7]])('handles %j too, although it is no error', (thrown) => {
    expect(networkFailure(thrown, pair)).toMatchObject({ code: 'TOKEN_UNAVAILABLE', transient: true });
  });
});

describe('refusalFailure', () => {
  it.each(['invalid_client', 'unauthorized_client', 'scope_invalid', 'x y!', 'a'.repeat(64)])(
    'B7: repeats the well-formed code %s',
    (code) => {
      const failure = refusalFailure(401, code, credentials, pair);
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
    const failure = refusalFailure(400, code, credentials, pair);
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
    expect(
      refusalFailure(401, code, { ...credentials, clientSecret: new Secret(secret) }, pair).oauthError,
    ).toBeUndefined();
  });

  it.each(['shop-1', 'shop-12', 'shop-123'])('S10: nor one that is Basic authentication of %s', (id) => {
    const own = { clientId: new Secret(id), clientSecret: new Secret('S3cr3t!Value0123456789') };
    const basic = Buffer.from(`${id}:S3cr3t!Value0123456789`).toString('base64');
    for (const code of [basic, basic.replaceAll('=', ''), `Basic ${basic}`])
      expect(refusalFailure(401, code, own, pair).oauthError).toBeUndefined();
  });

  it.each([
    'AADSTS7000215',
    'invalidClient',
    'invalidClientState',
    'InvalidClient',
    'Bad Request',
    'invalid: client',
    'ERR-1042',
    'client_not-found.',
    'e.r/r:or',
  ])('B29: repeats the code %s, which is made of words', (code) => {
    expect(refusalFailure(401, code, credentials, pair).oauthError).toBe(code);
  });

  it.each(['c2hvcC0xMjpTM2NyM3Qh', '6a1f0e', 'x9', 'aB3', '123456789', 'a (b)', '%41%42'])(
    'S10: does not repeat the code %s, which is no word',
    (code) => {
      expect(refusalFailure(401, code, credentials, pair).oauthError).toBeUndefined();
    },
  );

  it('S10: repeats a registered code that shares letters with a credential, but not the whole of one', () => {
    const shared = { ...credentials, clientSecret: new Secret('invalid_client_of_the_shop') };
    const short = { ...credentials, clientSecret: new Secret('client') };
    expect(refusalFailure(401, 'invalid_client', shared, pair).oauthError).toBe('invalid_client');
    expect(refusalFailure(401, 'invalid_client', short, pair).oauthError).toBeUndefined();
  });

  const registered =
    'access_denied invalid_client invalid_grant invalid_request invalid_scope server_error temporarily_unavailable ' +
    'unauthorized_client unsupported_grant_type unsupported_response_type insufficient_scope invalid_token ' +
    'unsupported_token_type authorization_pending expired_token slow_down invalid_target invalid_dpop_proof ' +
    'use_dpop_nonce account_selection_required consent_required interaction_required login_required';
  it.each(registered.split(' '))(
    'B29: repeats %s, which a specification registers, also if a secret contains it',
    (code) => {
      const containing = { ...credentials, clientSecret: new Secret(`${code}_of_the_shop`) };
      expect(refusalFailure(401, code, containing, pair).oauthError).toBe(code);
    },
  );

  it('B32: is the same for a client without a client id', () => {
    const { oauthError, remedy } = refusalFailure(
      401,
      'invalid_client',
      { ...credentials, clientId: undefined },
      pair,
    );
    expect(oauthError).toBe('invalid_client');
    expect(remedy).toBe(remedyOf('refused-credentials', pair));
  });

  it('B29: repeats a registered code that contains the client id, which is no secret', () => {
    const named = { ...credentials, clientId: new Secret('client') };
    expect(refusalFailure(401, 'invalid_client', named, pair).oauthError).toBe('invalid_client');
  });

  it('B29: the remedy follows the code, even if the code is not repeated because of a secret', () => {
    const named = { ...credentials, clientSecret: new Secret('client') };
    const { oauthError, remedy } = refusalFailure(400, 'unauthorized_client', named, pair);
    expect(oauthError).toBeUndefined();
    expect(remedy).toBe(refusalFailure(400, 'unauthorized_client', credentials, pair).remedy);
    expect(remedy).not.toBe(refusalFailure(400, 'invalid_client', credentials, pair).remedy);
  });

  it.each([CANARY.clientId, CANARY.secret])('S10: nor one that holds either of two credentials', (echoed) => {
    const code = Buffer.from(echoed).toString('base64');
    expect(refusalFailure(401, code, credentials, pair).oauthError).toBeUndefined();
  });

  it('S10: nor one that holds the client id', () => {
    expect(
      refusalFailure(401, 'unknown acme-1', { ...credentials, clientId: new Secret('acme-1') }, pair)
        .oauthError,
    ).toBeUndefined();
  });
});

it('B28: B13: a code that nearly consists of words costs no time', () => {
  const code = 'Abb.'.repeat(16).slice(0, -1);
  const start = process.cpuUsage();
  for (let round = 0; round < 1_000; round += 1) {
    expect(refusalFailure(401, `${code}~`, credentials, pair).oauthError).toBeUndefined();
  }
  const { user, system } = process.cpuUsage(start);
  // In microseconds: one code takes some, and took some thousands while each word could be read in two ways.
  expect(user + system).toBeLessThan(1_000_000);
  expect(refusalFailure(401, `${code}.`, credentials, pair).oauthError).toBe(`${code}.`);
});

describe('statusFailure', () => {
  it.each([300, 301, 302, 303, 305, 307, 308, 399])(
    'B13: %i is a redirect, which would carry the secret away',
    (status) => {
      const failure = statusFailure(status, 5_000, pair);
      expect(failure).toMatchObject({ code: 'TOKEN_RESPONSE_INVALID', transient: false, status });
      expect(failure.reason).toContain('redirected');
      expect(failure.retryAfterMs).toBeUndefined();
    },
  );

  it.each([201, 204, 206, 999, 600])('B13: %i is not 200', (status) => {
    expect(statusFailure(status, undefined, pair)).toMatchObject({
      code: 'TOKEN_RESPONSE_INVALID',
      transient: false,
      status,
    });
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 599])('B6: %i may be over soon', (status) => {
    expect(statusFailure(status, 5_000, pair)).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      transient: true,
      status,
      retryAfterMs: 5_000,
    });
  });
});

describe('the other failures', () => {
  it('differ by code and by whether another try may help', () => {
    expect(timeoutFailure(1234.5, pair)).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      transient: true,
      timedOut: true,
    });
    expect(timeoutFailure(1234.5, pair).reason).toContain('1235 ms');
    expect(unusableFailure('x.', pair)).toMatchObject({
      code: 'TOKEN_RESPONSE_INVALID',
      transient: false,
      status: 200,
    });
    expect(outlivedFailure(pair)).toMatchObject({ code: 'TOKEN_UNAVAILABLE', transient: true, status: 200 });
    expect(secretSourceFailure('failed', pair)).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      transient: false,
    });
    expect(secretSourceFailure('slow', pair)).toMatchObject({ code: 'TOKEN_UNAVAILABLE', transient: false });
    expect(secretSourceFailure('slow', pair).reason).not.toBe(secretSourceFailure('failed', pair).reason);
  });
});

describe('the text of a failure', () => {
  const unreachable = 'the token endpoint could not be reached or broke off';
  const unusable = 'the token endpoint did not give a valid token response:';
  const tokenUrl = 'the token URL (interfaces.easy.sandbox.tokenUrl)';
  const proxy = `Check ${tokenUrl}. A proxy or a login page may answer in its place.`;
  const source =
    'Check the function or the file that provides the client secret (interfaces.easy.sandbox.clientSecret).';
  const ofFile = { path: 'the.path', env: 'SECRET_FILE' };
  const inCode = { path: 'the.path', env: undefined };
  it.each([
    [
      () => networkFailure(nodeError('ECONNREFUSED'), pair),
      `${unreachable} (ECONNREFUSED).`,
      `No server listens there. Compare host and port of ${tokenUrl} with what the provider gave you, or ask whether the service is down.`,
    ],
    [
      () => networkFailure(nodeError('X_CERT_HAS_EXPIRED'), pair),
      `${unreachable} (X_CERT_HAS_EXPIRED).`,
      `Check ${tokenUrl}, DNS, the network and the proxy.`,
    ],
    [
      () => networkFailure(nodeError('CERT_HAS_EXPIRED'), pair),
      "the token endpoint's certificate or that of an authority above it has expired (CERT_HAS_EXPIRED).",
      "Report this to the provider. If your own authority's certificate has expired, put the new one into interfaces.easy.sandbox.tls.ca. If no certificate has expired, this machine's clock is wrong. Waiting does not help.",
    ],
    [
      () => timeoutFailure(5_000, pair),
      'the token endpoint did not answer completely within 5000 ms.',
      'Check the provider and the network, or raise token.timeoutMs.',
    ],
    [
      () => refusalFailure(401, 'invalid_client', credentials, pair),
      'the token endpoint refused the request with status 401 (invalid_client).',
      'Check interfaces.easy.sandbox.clientId and interfaces.easy.sandbox.clientSecret: both must belong to easy sandbox, and the secret must be the newest one. If both are right, compare interfaces.easy.sandbox.tokenUrl with the address that the provider gave you.',
    ],
    [
      () => statusFailure(302, undefined, pair),
      `${unusable} it redirected with status 302, which would send the client secret to another address.`,
      `Set ${tokenUrl} to the final address.`,
    ],
    [
      () => statusFailure(302, undefined, { ...pair, credential: 'key' }),
      `${unusable} it redirected with status 302, which would send the client assertion to another address.`,
      `Set ${tokenUrl} to the final address.`,
    ],
    [() => statusFailure(204, undefined, pair), `${unusable} its status is 204 instead of 200.`, proxy],
    [
      () => statusFailure(503, undefined, pair),
      'the token endpoint answered with status 503.',
      'Wait for the provider. If this lasts, ask the provider.',
    ],
    [() => unusableFailure('it is odd.', pair), `${unusable} it is odd.`, proxy],
    [
      () => unusableFailure('it is odd.', pair, undefined, 'metadata'),
      `${unusable} it is odd.`,
      "interfaces.easy.sandbox.tokenUrl is probably the address of the provider's metadata. Set it to the token_endpoint in that document.",
    ],
    [
      () => outlivedFailure(pair),
      'the token had expired before its answer arrived.',
      'Ask the provider why the token endpoint is slow or why its tokens expire so soon.',
    ],
    [() => secretSourceFailure('failed', pair), 'the client secret could not be read.', source],
    [() => secretSourceFailure('slow', pair), 'reading the client secret took too long.', source],
    [
      () => secretSourceFailure('failed', pair, new UnreadableSecretError(ofFile, 'is gone.', 'ENOENT')),
      'the client secret could not be read (ENOENT).',
      'SECRET_FILE is gone.',
    ],
    [
      () => secretSourceFailure('failed', pair, new UnreadableSecretError(inCode, 'is gone.')),
      'the client secret could not be read.',
      'the.path is gone.',
    ],
    [
      () => secretSourceFailure('failed', pair, new UnknownAccountError()),
      'accounts of the options returns no credentials for it.',
      'Check the name of the account, and what accounts returns for it.',
    ],
    [
      () => expiredAssertionFailure(60_001, pair),
      'the client assertion expired 61 s ago and was not sent.',
      remedyOf('expired-assertion', pair),
    ],
    [
      () => statusFailure(429, 30_000, pair),
      'the token endpoint answered with status 429 and asked to wait 30 s.',
      'Ask your account representative how often this client may request a token. If many processes use this client, let them share a token: set the option store.',
    ],
    [
      () => networkFailure(Object.assign(new Error(), { code: 'ECONNREFUSED' }), pair, 'http.proxy'),
      'the proxy could not be reached (ECONNREFUSED).',
      'Check http.proxy. If this network reaches the provider without a proxy, set it to false.',
    ],
    [
      () => proxyFailure(407, pair, 'http.proxy'),
      'the proxy refused the connection to the token endpoint with status 407.',
      'Check http.proxy: the proxy demands a user name and a password, or refuses the ones it got.',
    ],
    [
      () => proxyFailure(403, pair, 'http.proxy'),
      'the proxy refused the connection to the token endpoint with status 403.',
      `Check http.proxy: the address and the credentials of the proxy, and whether it allows the host of ${tokenUrl}.`,
    ],
    [
      () => unsafeAgentFailure('any-server', pair),
      'http.httpsAgent turns off certificate checks (rejectUnauthorized: false), so the client secret was not sent.',
      `Do not set rejectUnauthorized to false. To trust a private authority, ${trustPrivateAuthority('interfaces.easy.sandbox.tls.ca')}.`,
    ],
    [
      () => unsafeAgentFailure('elsewhere', pair),
      'http.httpsAgent leads to another place than the address of a request (host, port, path, socket or socketPath), so the client secret was not sent.',
      'Use an Agent of node:https without checkServerIdentity, host, port, path, socket and socketPath.',
    ],
  ])('says what happened and how to fix it: %#', (made, reason, remedy) => {
    expect(made()).toMatchObject({ reason, remedy });
  });

  it.each([
    [30_000, ' and asked to wait 30 s.', 30_000],
    [3_600_000, ' and asked to wait 3600 s.', 3_600_000],
    [86_400_000, ' and asked to wait 86400 s. The next request follows after 3600 s.', 3_600_000],
    [30 * 86_400_000, ' and asked to wait 2592000 s. The next request follows after 3600 s.', 3_600_000],
    [Infinity, ' and asked to wait more than 30 days. The next request follows after 3600 s.', 3_600_000],
    [undefined, '.', undefined],
  ])(
    'B6 B35: waits an hour at most, and says so, if the server asks for %s ms',
    (askedMs, words, retryAfterMs) => {
      const failure = statusFailure(429, askedMs, pair);
      expect(failure.reason).toBe(`the token endpoint answered with status 429${words}`);
      expect(failure.retryAfterMs).toBe(retryAfterMs);
    },
  );

  it.each([
    [407, false],
    [403, false],
    [200, false],
    [429, true],
    [499, false],
    [500, true],
    [502, true],
  ])('B6: a proxy that refuses with %i is tried again at once: %s', (status, transient) => {
    expect(proxyFailure(status, pair, 'http.proxy')).toMatchObject({ code: 'TOKEN_UNAVAILABLE', transient });
  });

  it('B10: says of each failure whether another process may do better', () => {
    const ownFailures = [
      networkFailure(nodeError('CERT_HAS_EXPIRED'), pair),
      proxyFailure(502, pair, 'http.proxy'),
      secretSourceFailure('slow', pair),
      unsafeAgentFailure('any-server', pair),
    ];
    expect(ownFailures.map(({ local }) => local)).toEqual([true, true, true, true]);
    expect(statusFailure(503, undefined, pair).local).toBeUndefined();
    expect(refusalFailure(401, undefined, credentials, pair).local).toBeUndefined();
  });

  it('B33: an unknown account has its own code, and is a matter of the application alone', () => {
    expect(secretSourceFailure('failed', pair, new UnknownAccountError())).toMatchObject({
      code: 'ACCOUNT_UNKNOWN',
      transient: false,
      local: true,
      unsent: 'secret',
    });
  });

  it('B32: an expired assertion is a matter of what renews it, and no other try helps', () => {
    expect(expiredAssertionFailure(1, pair)).toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      transient: false,
      local: true,
      unsent: 'secret',
    });
  });

  it('B13: a status of 400 that comes here is no redirect', () => {
    expect(statusFailure(400, undefined, pair)).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
  });

  it('S10: repeats no code with a piece of a credential at its very end', () => {
    const code = `not ${CANARY.clientId.slice(0, 10)}`;
    expect(refusalFailure(401, code, credentials, pair).oauthError).toBeUndefined();
    expect(refusalFailure(401, code.slice(0, -1), credentials, pair).oauthError).toBe(code.slice(0, -1));
  });
});

describe('B29: the remedy of a failure', () => {
  it.each([
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'untrusted-certificate'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'untrusted-certificate'],
    ['CERT_REVOKED', 'untrusted-certificate'],
    ['CERT_HAS_EXPIRED', 'expired-certificate'],
    ['CERT_NOT_YET_VALID', 'future-certificate'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'wrong-name'],
    ['HOSTNAME_MISMATCH', 'wrong-name'],
    ['ENOTFOUND', 'unknown-host'],
    ['EAI_AGAIN', 'name-server'],
    ['ECONNREFUSED', 'refused-connection'],
    ['EHOSTUNREACH', 'no-route'],
    ['ENETUNREACH', 'no-route'],
    ['ETIMEDOUT', 'no-connection'],
    ['ECONNRESET', 'broken-off'],
    ['EPIPE', 'broken-off'],
    ['EPROTO', 'no-tls'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'no-tls'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'client-certificate'],
    ['HPE_INVALID_CONSTANT', 'no-http'],
    ['Z_DATA_ERROR', 'unreachable'],
    ['toString', 'unreachable'],
  ] as const)('B29: of %s is that of: %s', (code, trouble) => {
    expect(networkFailure(nodeError(code), pair).remedy).toBe(remedyOf(trouble, pair));
  });

  it.each([
    ['ECONNREFUSED', 'proxy'],
    ['ENOTFOUND', 'proxy'],
    ['ECONNRESET', 'broken-off'],
    ['CERT_HAS_EXPIRED', 'expired-certificate'],
  ] as const)('B29: of %s behind a proxy is that of: %s', (code, trouble) => {
    expect(networkFailure(nodeError(code), pair, 'HTTPS_PROXY and NO_PROXY').remedy).toBe(
      remedyOf(trouble, pair),
    );
  });

  it.each([
    [401, 'invalid_client', 'refused-credentials'],
    [400, 'invalid_client', 'refused-credentials'],
    [404, 'invalid_client', 'refused-credentials'],
    [401, undefined, 'refused-credentials'],
    [400, 'invalid_request', 'refused-credentials'],
    [403, undefined, 'refused-grant'],
    [400, 'unauthorized_client', 'refused-grant'],
    [404, undefined, 'no-endpoint'],
    [405, undefined, 'no-endpoint'],
    [410, 'gone', 'no-endpoint'],
  ] as const)('B29: of a refusal with status %i and code %s is that of: %s', (status, code, trouble) => {
    expect(refusalFailure(status, code, credentials, pair).remedy).toBe(remedyOf(trouble, pair));
  });

  describe('of a refusal by a provider of the application', () => {
    const terms = { scope: 'orders.read', audience: 'https://orders.example' };
    const place = 'the interface orders of your definition partner';
    const remedyFor = (status: number, code: string | undefined, of: InterfaceTerms = terms) =>
      refusalFailure(status, code, credentials, ofOwn(of)).remedy;

    it.each<[code: string, terms: InterfaceTerms, says: string]>([
      ['invalid_scope', terms, `Check scope, in ${place} or in for(): `],
      [
        'invalid_scope',
        {},
        `no scope. If the documentation of the provider names one, set scope in ${place}.`,
      ],
      ['invalid_target', terms, `Check audience, in ${place} or in for(), `],
      ['invalid_target', { ...terms, resource: 'https://a.example' }, 'Check audience and resource, in the'],
      ['invalid_target', { scope: 'a' }, `no audience and no resource. If the documentation of the provider`],
      ['unsupported_grant_type', terms, 'the grant type client_credentials. If'],
      ['unsupported_grant_type', { grantType: 'account' }, 'the grant type account. If'],
      ['unsupported_grant_type', terms, 'set grantType in the definition partner.'],
      ['invalid_request', terms, `Compare clientAuth, scope and audience in ${place} with`],
      ['invalid_request', {}, `Compare clientAuth in ${place} with`],
    ])('B29 B31: %s names the members of the definition: %j', (code, of, says) => {
      expect(remedyFor(400, code, of)).toContain(says);
      expect(remedyFor(400, code, of)).not.toContain('both must belong');
      const { remedy } = refusalFailure(400, code, credentials, { ...pair, terms: of });
      expect(remedy).toBe(remedyOf('refused-credentials', pair));
    });

    it.each<[InterfaceTerms, string]>([
      [{}, "clientAuth 'basic' in the interface orders of your definition partner, instead of 'post'."],
      [{ clientAuth: 'basic' }, "clientAuth 'post' in"],
    ])('B29 B31: refused credentials with %j name the other place of a secret', (of, says) => {
      const remedy = remedyFor(401, 'invalid_client', of);
      expect(remedy).toContain('both must belong');
      expect(remedy).toContain(says);
    });

    it.each(['private_key_jwt', 'tls_client_auth'] as const)(
      'B29 B31: refused credentials with %s have no other place',
      (clientAuth) => {
        expect(remedyFor(401, 'invalid_client', { clientAuth })).not.toContain('clientAuth');
      },
    );

    it('B29 B31: a refused grant names the audience, if there is one', () => {
      expect(remedyFor(403, 'access_denied')).toContain(`Check audience too, in ${place} or in for(): `);
      expect(remedyFor(403, 'access_denied', { scope: 'a' })).not.toContain('Check');
    });

    it('B29: a value in quotes is a reason for an invalid request too', () => {
      const quoted = { ...credentials, clientId: new Secret('"id"') };
      expect(refusalFailure(400, 'invalid_request', quoted, ofOwn(terms)).remedy).toContain('in quotes');
    });
  });

  it.each(['refused-grant', 'forbidden'] as const)(
    'B24: of %s names the account representative of the document only for its provider',
    (trouble) => {
      expect(remedyOf(trouble, pair)).toContain('Ask your account representative');
      expect(remedyOf(trouble, { ...pair, provider: 'provider' })).toContain('Ask your account');
      expect(remedyOf(trouble, { ...pair, provider: 'warehouse' })).toMatch(/Ask the provider( to| for)/);
    },
  );

  it('B31: of a refused grant names the grant type of the definition', () => {
    const terms = { grantType: 'account_credentials' };
    expect(remedyOf('refused-grant', { ...pair, terms })).toContain('to grant account_credentials.');
    expect(remedyOf('refused-grant', pair)).toContain('to grant client_credentials.');
  });

  describe('of a refused client assertion', () => {
    const names = { ...pair.names, clientSecret: 'KEY_FILE', keyId: 'KEY_ID' };
    const withKey = { ...pair, names, credential: 'key' } as const;
    const remedyFor = (clockAheadMs?: number, of: typeof withKey | typeof pair = withKey) =>
      refusalFailure(401, 'invalid_client', { ...credentials, clockAheadMs }, of).remedy;

    it('B29: names the key, its registration and its id', () => {
      const remedy = remedyFor();
      expect(remedy).toBe(remedyOf('refused-credentials', withKey));
      expect(remedy).toContain('KEY_FILE: both must be');
      expect(remedy).toContain('the provider must know the public key of this key.');
      expect(remedy).toContain('If the provider gave the key an id, KEY_ID must be this id.');
    });

    it.each([
      [61_000, 'The clock of this machine is 61 s ahead of the clock of the token endpoint'],
      [-600_000, 'The clock of this machine is 600 s behind the clock of the token endpoint'],
    ])('B29: says by how much the clock is wrong: %d ms', (clockAheadMs, says) => {
      expect(remedyFor(clockAheadMs)).toContain(says);
      expect(remedyFor(clockAheadMs)).toContain(remedyOf('refused-credentials', withKey));
      expect(remedyFor(clockAheadMs, pair)).not.toContain('clock');
    });

    it.each([60_000, -60_000, 0, undefined])('B29: says nothing of a clock that is right: %s', (aheadMs) => {
      expect(remedyFor(aheadMs)).not.toContain('clock');
    });
  });

  it.each(['"a secret"', "'a secret'", '`a secret`', '""', '"two\nlines"'])(
    'B29: says that the secret is in quotes: %j',
    (value) => {
      const quoted = { ...credentials, clientSecret: new Secret(value) };
      expect(refusalFailure(401, 'invalid_client', quoted, pair).remedy).toBe(
        `The value of ${pair.names.clientSecret} is in quotes: remove them. ${remedyOf('refused-credentials', pair)}`,
      );
      expect(refusalFailure(404, undefined, quoted, pair).remedy).not.toContain('quotes');
    },
  );

  it.each(['"', "'a secret", '"a secret\'', 'a "secret"', '"a" secret'])(
    'B29: does not say so of a secret that only holds quotes: %j',
    (value) => {
      const whole = { ...credentials, clientSecret: new Secret(value) };
      expect(refusalFailure(401, 'invalid_client', whole, pair).remedy).not.toContain('quotes');
    },
  );

  it('S5 B29: says that the secret is that of another environment', () => {
    const twin = { ...pair, sameSecretAs: 'interfaces.easy.production.clientSecret' };
    expect(refusalFailure(401, 'invalid_client', credentials, twin).remedy).toBe(
      'interfaces.easy.sandbox.clientSecret has the same value as interfaces.easy.production.clientSecret. Each ' +
        `environment has its own credentials: put each in its place. ${remedyOf('refused-credentials', pair)}`,
    );
    expect(refusalFailure(404, undefined, credentials, twin).remedy).not.toContain('same value');
  });

  it('B29: says so of both credentials at once', () => {
    const quoted = { clientId: new Secret("'id'"), clientSecret: new Secret('"secret"') };
    expect(refusalFailure(401, 'invalid_client', quoted, pair).remedy).toMatch(
      /^The values of interfaces\.easy\.sandbox\.clientId and interfaces\.easy\.sandbox\.clientSecret are in quotes: remove them\. /,
    );
  });

  it('B29: names the setting of the address that was asked, in each remedy that speaks of one', () => {
    for (const trouble of [
      'wrong-name',
      'unknown-host',
      'refused-connection',
      'no-tls',
      'no-http',
    ] as const) {
      expect(remedyOf(trouble, pair)).toContain(pair.names.tokenUrl);
      expect(remedyOf(trouble, pair, 'baseUrl')).toContain(pair.names.baseUrl);
    }
  });

  it.each(['untrusted-certificate', 'expired-certificate', 'wrong-name', 'unknown-host'] as const)(
    'B29: of %s does not let people wait',
    (trouble) => {
      expect(remedyOf(trouble, pair)).toMatch(/Waiting does not help\.$/);
    },
  );
});
