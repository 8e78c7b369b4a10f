import { expect, it } from 'vitest';
import { UnknownAccountError } from '../../../../lib/secrets/account-source.js';
import { UnreadableSecretError } from '../../../../lib/secrets/secret-source.js';
import { remedyOf, type Trouble } from '../../../../lib/errors/troubles.js';
import {
  expiredAssertionFailure,
  networkFailure,
  proxyFailure,
  secretSourceFailure,
  statusFailure,
  timeoutFailure,
  unsafeAgentFailure,
} from '../../../../lib/token/endpoint/token-failures.js';
import { CANARY, profileOf } from '../../../support/token/token-fixtures.js';

// `errors/troubles.spec.ts` has the words of each remedy and the meaning of each code.

const pair = profileOf();
const PROXY = 'http.proxy';
const HOUR_MS = 3_600_000;

const nodeError = (code: unknown): Error => Object.assign(new Error(`${CANARY.secret} refused`), { code });

type Failure = ReturnType<typeof networkFailure>;
type Row = [made: () => Failure, expected: object, reason: string, remedy: string];

const AWAY = 'which would send the client secret to another address.';
const UNUSABLE = 'the token endpoint did not give a valid token response:';
const BROKEN = 'the token endpoint could not be reached or broke off';
const SOON = { code: 'TOKEN_UNAVAILABLE', transient: true };
const LATER = { code: 'TOKEN_UNAVAILABLE', transient: false };
const INVALID = { code: 'TOKEN_RESPONSE_INVALID', transient: false };
const unreadable = (env?: string) =>
  new UnreadableSecretError({ path: 'the.path', env }, 'is gone.', env && 'ENOENT');

/** Every failure but a refusal: what a caller gets, what it says, and which trouble its remedy is about. */
it.each<Row>([
  [
    () => networkFailure(nodeError('ECONNREFUSED'), pair),
    SOON,
    `${BROKEN} (ECONNREFUSED).`,
    'refused-connection',
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
  ...[CANARY.secret, 'ECONN RESET\nforged line', 'E'.repeat(65), 7, undefined, 'lower', ['EPROTO']].map(
    (code): Row => [() => networkFailure(nodeError(code), pair), SOON, `${BROKEN}.`, 'unreachable'],
  ),
  [() => networkFailure('no error', pair), SOON, `${BROKEN}.`, 'unreachable'],
  [
    () => timeoutFailure(1_234.5, pair),
    { ...SOON, timedOut: true },
    'the token endpoint did not answer completely within 1235 ms.',
    'unanswered',
  ],
  // A redirect would carry the secret away (B13).
  ...[300, 399].map((status): Row => [
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
  ...[201, 600].map((status): Row => [
    () => statusFailure(status, undefined, pair),
    { ...INVALID, status },
    `${UNUSABLE} its status is ${status} instead of 200.`,
    'other-service',
  ]),
  ...[408, 599].map((status): Row => [
    () => statusFailure(status, 5_000, pair),
    { ...SOON, status, retryAfterMs: 5_000, local: undefined },
    `the token endpoint answered with status ${status} and asked to wait 5 s.`,
    'server-trouble',
  ]),
  // The server is believed for an hour at most, and the failure says so (B6, B35).
  ...(
    [
      [HOUR_MS, ' and asked to wait 3600 s.', HOUR_MS],
      [Infinity, ' and asked to wait longer than 3600 s.', HOUR_MS],
      [undefined, '.', undefined],
    ] as const
  ).map(([asked, words, retryAfterMs]): Row => [
    () => statusFailure(429, asked, pair),
    { ...SOON, status: 429, retryAfterMs },
    `the token endpoint answered with status 429${words}`,
    'too-many-requests',
  ]),
  [
    () => secretSourceFailure('failed', pair, new Error(CANARY.secret)),
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
    () => secretSourceFailure('failed', pair, unreadable('SECRET_FILE')),
    LATER,
    'the client secret could not be read (ENOENT).',
    'SECRET_FILE is gone.',
  ],
  [
    () => secretSourceFailure('failed', pair, unreadable()),
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
      [407, false],
      [429, true],
      [499, false],
      [500, true],
    ] as const
  ).map(([status, transient]): Row => [
    () => proxyFailure(status, pair, PROXY),
    { ...SOON, transient, local: true },
    `the proxy refused the connection to the token endpoint with status ${status}.`,
    remedyOf('proxy-refusal', pair, 'tokenUrl', PROXY),
  ]),
  [
    () => unsafeAgentFailure('any-server', pair),
    { local: true, unsent: 'agent' },
    'http.httpsAgent turns off certificate checks (rejectUnauthorized: false, or NODE_TLS_REJECT_UNAUTHORIZED=0), so the client secret was not sent.',
    'Remove that. To trust a private authority, set …_CA_FILE, or tls.ca in code.',
  ],
])(
  'B29 S10: a failure says what happened, whether to try again, and what to do: %#',
  (made, expected, reason, remedy) => {
    const failure = made();
    expect({
      ...Object.fromEntries(Object.keys(expected).map((key) => [key, undefined])),
      ...failure,
    }).toMatchObject({ ...expected, reason });
    expect(failure.remedy).toBe(remedy.includes(' ') ? remedy : remedyOf(remedy as Trouble, pair));
  },
);
