import { describe, expect, it } from 'vitest';
import type { InterfaceTerms } from '../../../../lib/catalogue/catalogue.js';
import { UnknownAccountError } from '../../../../lib/secrets/account-source.js';
import { UnreadableSecretError } from '../../../../lib/secrets/secret-source.js';
import { remedyOf, type Trouble } from '../../../../lib/errors/troubles.js';
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

// `errors/troubles.spec.ts` has the words of each remedy and the meaning of each code.

const credentials = { clientId: new Secret(CANARY.clientId), clientSecret: new Secret(CANARY.secret) };
const pair = profileOf();
const PROXY = 'http.proxy';

const nodeError = (code: unknown): Error => Object.assign(new Error(`${CANARY.secret} refused`), { code });
const refusal = (status: number, code?: unknown, of = pair, more: object = {}) =>
  refusalFailure(status, code, { ...credentials, ...more }, of);

type Failure = ReturnType<typeof networkFailure>;

const AWAY = 'which would send the client secret to another address.';
const UNUSABLE = 'the token endpoint did not give a valid token response:';
const SOON = { code: 'TOKEN_UNAVAILABLE', transient: true };
const LATER = { code: 'TOKEN_UNAVAILABLE', transient: false };
const INVALID = { code: 'TOKEN_RESPONSE_INVALID', transient: false };
const REJECTED = { code: 'TOKEN_REJECTED', transient: false };

/** Every failure: what a caller gets, what it says, and which trouble its remedy is about. */
it.each<[made: () => Failure, expected: object, reason: string, remedy: string]>([
  [
    () => networkFailure(nodeError('ECONNREFUSED'), pair),
    SOON,
    'the token endpoint could not be reached or broke off (ECONNREFUSED).',
    'refused-connection',
  ],
  [
    () => networkFailure(nodeError('X_CERT_HAS_EXPIRED'), pair),
    SOON,
    'the token endpoint could not be reached or broke off (X_CERT_HAS_EXPIRED).',
    'unreachable',
  ],
  [
    () => networkFailure(nodeError('ECONNREFUSED'), pair, PROXY),
    SOON,
    'the proxy could not be reached (ECONNREFUSED).',
    remedyOf('proxy', pair, 'tokenUrl', PROXY),
  ],
  [
    // A matter of trust is not retried (B13), but another process may trust the certificate (B10).
    () => networkFailure(nodeError('CERT_HAS_EXPIRED'), pair),
    { ...LATER, local: true },
    "the token endpoint's certificate or that of an authority above it has expired or is not valid yet (CERT_HAS_EXPIRED).",
    'expired-certificate',
  ],
  [
    () =>
      networkFailure(nodeError('CERT_HAS_EXPIRED'), pair, undefined, {
        valid_from: 'May  1 09:00:00 2019 GMT',
        valid_to: 'May  4 09:00:00 2020 GMT',
      }),
    LATER,
    "the token endpoint's certificate expired on 2020-05-04 (CERT_HAS_EXPIRED).",
    'expired-certificate',
  ],
  [
    () => timeoutFailure(1_234.5, pair),
    { ...SOON, timedOut: true },
    'the token endpoint did not answer completely within 1235 ms.',
    'unanswered',
  ],
  [
    () => refusal(401, 'invalid_client'),
    { ...REJECTED, status: 401, oauthError: 'invalid_client', local: undefined },
    'the token endpoint refused the request with status 401 (invalid_client).',
    'refused-credentials',
  ],
  ...[
    [404, 'invalid_client', 'refused-credentials'] as const,
    [401, undefined, 'refused-credentials'] as const,
    [400, 'invalid_request', 'refused-credentials'] as const,
    [403, undefined, 'refused-grant'] as const,
    [400, 'unauthorized_client', 'refused-grant'] as const,
    [404, undefined, 'other-address'] as const,
    [405, undefined, 'other-address'] as const,
    [410, 'gone', 'other-address'] as const,
  ].map(([status, code, trouble]): [() => Failure, object, string, Trouble] => [
    () => refusal(status, code),
    { ...REJECTED, status },
    `the token endpoint refused the request with status ${status}${code === undefined ? '' : ` (${code})`}.`,
    trouble,
  ]),
  // A redirect would carry the secret away (B13).
  ...[300, 302, 308, 399].map((status): [() => Failure, object, string, Trouble] => [
    () => statusFailure(status, 5_000, pair),
    { ...INVALID, status, retryAfterMs: undefined },
    `${UNUSABLE} it redirected with status ${status}, ${AWAY}`,
    'redirect',
  ]),
  [
    () => statusFailure(302, undefined, { ...pair, credential: 'key' }),
    INVALID,
    `${UNUSABLE} it redirected with status 302, ${AWAY.replace('secret', 'assertion')}`,
    'redirect',
  ],
  ...[201, 204, 600, 999].map((status): [() => Failure, object, string, Trouble] => [
    () => statusFailure(status, undefined, pair),
    { ...INVALID, status },
    `${UNUSABLE} its status is ${status} instead of 200.`,
    'other-service',
  ]),
  ...[408, 425, 500, 503, 599].map((status): [() => Failure, object, string, Trouble] => [
    () => statusFailure(status, 5_000, pair),
    { ...SOON, status, retryAfterMs: 5_000, local: undefined },
    `the token endpoint answered with status ${status} and asked to wait 5 s.`,
    'server-trouble',
  ]),
  // The server is believed for an hour at most, and the failure says so (B6, B35).
  ...(
    [
      [3_600_000, ' and asked to wait 3600 s.', 3_600_000],
      [86_400_000, ' and asked to wait longer than 3600 s.', 3_600_000],
      [Infinity, ' and asked to wait longer than 3600 s.', 3_600_000],
      [undefined, '.', undefined],
    ] as const
  ).map(([asked, words, retryAfterMs]): [() => Failure, object, string, Trouble] => [
    () => statusFailure(429, asked, pair),
    { ...SOON, status: 429, retryAfterMs },
    `the token endpoint answered with status 429${words}`,
    'too-many-requests',
  ]),
  [
    () => unusableFailure('it is odd.', pair),
    { ...INVALID, status: 200 },
    `${UNUSABLE} it is odd.`,
    'other-service',
  ],
  [
    () => unusableFailure('it is odd.', pair, undefined, 'other-address'),
    INVALID,
    `${UNUSABLE} it is odd.`,
    'other-address',
  ],
  [
    () => outlivedFailure(pair),
    { ...SOON, status: 200 },
    'the token had expired before its answer arrived.',
    'server-trouble',
  ],
  [
    () => secretSourceFailure('failed', pair),
    { ...LATER, local: true },
    'the client secret could not be read.',
    'secret-source',
  ],
  [
    () => secretSourceFailure('slow', pair),
    { ...LATER, local: true },
    'reading the client secret took too long.',
    'secret-source',
  ],
  [
    () =>
      secretSourceFailure(
        'failed',
        pair,
        new UnreadableSecretError({ path: 'the.path', env: 'SECRET_FILE' }, 'is gone.', 'ENOENT'),
      ),
    LATER,
    'the client secret could not be read (ENOENT).',
    'SECRET_FILE is gone.',
  ],
  [
    () =>
      secretSourceFailure(
        'failed',
        pair,
        new UnreadableSecretError({ path: 'the.path', env: undefined }, 'is gone.'),
      ),
    LATER,
    'the client secret could not be read.',
    'the.path is gone.',
  ],
  [
    () => secretSourceFailure('failed', pair, new UnknownAccountError()),
    { code: 'ACCOUNT_UNKNOWN', transient: false, local: true, unsent: 'secret' },
    'accounts of the options returns no credentials for it.',
    'Check the name of the account, and what accounts returns for it.',
  ],
  [
    () => expiredAssertionFailure(60_001, pair),
    { ...LATER, local: true, unsent: 'secret' },
    'the client assertion expired 61 s ago and was not sent.',
    'secret-source',
  ],
  ...(
    [
      [407, false, 'proxy-refusal'],
      [403, false, 'proxy-refusal'],
      [200, false, 'proxy-refusal'],
      [429, true, 'proxy-refusal'],
      [499, false, 'proxy-refusal'],
      [500, true, 'proxy-refusal'],
    ] as const
  ).map(([status, transient, trouble]): [() => Failure, object, string, string] => [
    () => proxyFailure(status, pair, PROXY),
    { ...SOON, transient, local: true },
    `the proxy refused the connection to the token endpoint with status ${status}.`,
    remedyOf(trouble, pair, 'tokenUrl', PROXY),
  ]),
  [
    () => unsafeAgentFailure('any-server', pair),
    { local: true },
    'http.httpsAgent turns off certificate checks (rejectUnauthorized: false), so the client secret was not sent.',
    'Trust the authority instead: pass its certificate as ca.',
  ],
  [
    () => unsafeAgentFailure('elsewhere', pair),
    { local: true },
    'http.httpsAgent leads to another place than the address of a request (host, port, path, socket or socketPath), so the client secret was not sent.',
    'Leave these options out.',
  ],
])(
  'B29: a failure says what happened, whether to try again, and what to do: %#',
  (made, expected, reason, remedy) => {
    const failure = made();
    expect({
      ...Object.fromEntries(Object.keys(expected).map((key) => [key, undefined])),
      ...failure,
    }).toMatchObject({ ...expected, reason });
    expect(failure.remedy).toBe(remedy.includes(' ') ? remedy : remedyOf(remedy as Trouble, pair));
  },
);

it.each([CANARY.secret, 'ECONN RESET\nforged line', 'E'.repeat(65), 7, undefined, 'lower', ['EPROTO']])(
  'S10: nothing is repeated that is no code of Node: %j',
  (code) => {
    const reason = 'the token endpoint could not be reached or broke off.';
    expect(networkFailure(nodeError(code), pair).reason).toBe(reason);
    expect(networkFailure(code, pair)).toMatchObject(SOON);
  },
);

describe('the code of a refusal', () => {
  const secret = 'pl4in_s3cret_0815';
  const id = 'acme_payments_1';
  const more = { clientId: new Secret(id), clientSecret: new Secret(secret) };
  const oauthErrorOf = (code: unknown, of: object = more) => refusal(401, code, pair, of).oauthError;

  it.each(['invalid_client', 'scope_invalid', 'error_42', 'a'.repeat(64)])(
    'B7 B29: %s is repeated',
    (code) => {
      expect(oauthErrorOf(code)).toBe(code);
    },
  );

  it.each([
    undefined,
    {},
    '',
    'invalid\nERROR forged',
    '\u001b[31minvalid',
    'in"valid',
    'ungültig',
    'a'.repeat(65),
    'Bad Request',
    'AADSTS7000215',
    'a-b',
    secret,
    `bad_${secret}`,
    `unknown_${id}`,
  ])('S10: %j is not repeated: it is no word, or holds a credential', (code) => {
    expect(oauthErrorOf(code)).toBeUndefined();
    expect(refusal(400, code, pair, more).reason).toBe(
      'the token endpoint refused the request with status 400.',
    );
  });

  it('B29: a short client id is a part of many codes, and the remedy follows a hidden code all the same', () => {
    expect(oauthErrorOf('invalid_client', { clientId: new Secret('client') })).toBe('invalid_client');
    const short = { clientSecret: new Secret('client') };
    expect(refusal(400, 'unauthorized_client', pair, short).oauthError).toBeUndefined();
    expect(refusal(400, 'unauthorized_client', pair, short).remedy).toBe(remedyOf('refused-grant', pair));
  });
});

describe('the remedy of a refusal', () => {
  const own = remedyOf('refused-credentials', pair);
  const { clientId: ID, clientSecret: SECRET } = pair.names;

  it.each<[what: string, made: () => Failure, remedy: string]>([
    ...['"a secret"', "'a secret'", '`a secret`', '""', '"two\nlines"'].map(
      (value): [string, () => Failure, string] => [
        `the secret ${JSON.stringify(value)} is in quotes`,
        () => refusal(401, 'invalid_client', pair, { clientSecret: new Secret(value) }),
        `The value of ${SECRET} is in quotes: remove them. ${own}`,
      ],
    ),
    ...['"', "'a secret", '"a secret\'', 'a "secret"', '"a" secret'].map(
      (value): [string, () => Failure, string] => [
        `the secret ${JSON.stringify(value)} is not in quotes`,
        () => refusal(401, 'invalid_client', pair, { clientSecret: new Secret(value) }),
        own,
      ],
    ),
    [
      'both are in quotes',
      () =>
        refusal(401, 'invalid_client', pair, {
          clientId: new Secret("'id'"),
          clientSecret: new Secret('"x"'),
        }),
      `The value of ${ID} and ${SECRET} is in quotes: remove them. ${own}`,
    ],
    [
      'S5: the secret is that of another environment',
      () => refusal(401, 'invalid_client', { ...pair, sameSecretAs: 'OTHER' }),
      `${SECRET} has the same value as OTHER. Each environment has its own credentials: put each in its place. ${own}`,
    ],
    [
      'the path is wrong, whatever the secret',
      () => refusal(404, undefined, { ...pair, sameSecretAs: 'OTHER' }, { clientSecret: new Secret('"x"') }),
      remedyOf('other-address', pair),
    ],
  ])('B29: %s', (_, made, remedy) => {
    expect(made().remedy).toBe(remedy);
  });

  const withKey = {
    ...pair,
    names: { ...pair.names, clientSecret: 'KEY_FILE', keyId: 'KEY_ID' },
    credential: 'key',
  } as const;

  it.each([
    [61_000, 'The clock of this machine is 61 s ahead of the clock of the token endpoint'],
    [-600_000, 'The clock of this machine is 600 s behind the clock of the token endpoint'],
    [60_000, undefined],
    [undefined, undefined],
  ])('B29: an assertion may be refused for a clock that is off by %s ms', (clockAheadMs, says) => {
    const remedy = refusalFailure(401, 'invalid_client', { ...credentials, clockAheadMs }, withKey).remedy;
    expect(remedy).toContain(remedyOf('refused-credentials', withKey));
    expect(remedy.includes('clock')).toBe(says !== undefined);
    expect(remedy).toContain(says ?? 'KEY_FILE');
    expect(refusalFailure(401, 'invalid_client', { ...credentials, clockAheadMs }, pair).remedy).toBe(own);
  });

  const terms = { scope: 'orders.read', audience: 'https://orders.example' };
  const place = 'the interface orders of your definition partner';

  it.each<[status: number, code: string, terms: InterfaceTerms, says: string]>([
    [400, 'invalid_scope', terms, `Check scope and audience, in ${place} or in for(), `],
    [400, 'invalid_target', {}, 'has no scope, audience or resource. If the documentation of the provider'],
    [
      400,
      'unsupported_grant_type',
      { grantType: 'account' },
      `Compare clientAuth and grantType in ${place} with`,
    ],
    [400, 'invalid_request', terms, `Compare clientAuth, scope and audience in ${place} with`],
    [400, 'invalid_request', {}, `Compare clientAuth in ${place} with`],
    [401, 'invalid_client', {}, `clientAuth 'basic' in ${place}, instead of 'post'.`],
    [401, 'invalid_client', { clientAuth: 'basic' }, "clientAuth 'post' in"],
    [403, 'access_denied', terms, `Check audience too, in ${place} or in for(): `],
  ])('B29 B31: %d %s names the members of a definition: %j', (status, code, of, says) => {
    const definition = { ...pair, provider: 'partner', interface: 'orders', terms: of };
    expect(refusal(status, code, definition).remedy).toContain(says);
    expect(refusal(status, code).remedy).not.toContain('definition');
  });

  it('B29 B31: a key or a certificate has no other place', () => {
    for (const clientAuth of ['private_key_jwt', 'tls_client_auth'] as const) {
      const definition = { ...pair, provider: 'partner', interface: 'orders', terms: { clientAuth } };
      expect(refusal(401, 'invalid_client', definition).remedy).not.toContain('clientAuth');
    }
  });

  it('B24: the account representative of the document is named only for its provider', () => {
    for (const trouble of ['refused-grant', 'forbidden'] as const) {
      expect(remedyOf(trouble, { ...pair, provider: 'provider' })).toContain(
        'Ask your account representative',
      );
      expect(remedyOf(trouble, { ...pair, provider: 'warehouse' })).toMatch(/Ask the provider( to| for)/);
    }
  });
});
