import { describe, expect, it } from 'vitest';
import type { InterfaceTerms } from '../../../../lib/catalogue/catalogue.js';
import { TokenRequestError } from '../../../../lib/errors/token-request.error.js';
import { remedyOf, type Trouble } from '../../../../lib/errors/troubles.js';
import { Secret } from '../../../../lib/secrets/secret.js';
import { refusalFailure } from '../../../../lib/token/endpoint/refusal.js';
import { profileOf } from '../../../support/token/token-fixtures.js';

// `errors/troubles.spec.ts` has the words of each remedy.

const pair = profileOf();
const SECRET = 'pl4in_s3cret_0815';
const ID = 'acme_payments_1';

/** The refusal of a request with these credentials, whose answer is this. */
function refusal(status: number, answer?: unknown, of = pair, sent: object = {}, clockAheadMs?: number) {
  const body = typeof answer === 'string' ? answer : JSON.stringify(answer ?? {});
  return refusalFailure(
    { status, body: Buffer.from(body), clockAheadMs },
    { clientId: new Secret(ID), clientSecret: new Secret(SECRET), ...sent },
    of,
  );
}

const withCode = (error: unknown) => ({ error });

describe('B29: a refusal', () => {
  it.each<[status: number, code: string | undefined, trouble: Trouble]>([
    [401, 'invalid_client', 'refused-credentials'],
    [404, 'invalid_client', 'refused-credentials'],
    [401, undefined, 'refused-credentials'],
    [400, 'invalid_request', 'refused-credentials'],
    [403, undefined, 'refused-grant'],
    [400, 'unauthorized_client', 'refused-grant'],
    [405, undefined, 'other-address'],
    [410, 'gone', 'other-address'],
  ])('B29: with status %i and the code %s says what to do', (status, code, trouble) => {
    expect(refusal(status, withCode(code))).toEqual({
      code: 'TOKEN_REJECTED',
      reason: `the token endpoint refused the request with status ${status}${code === undefined ? '' : ` (${code})`}.`,
      remedy: remedyOf(trouble, pair),
      transient: false,
      status,
      oauthError: code,
    });
  });

  it('B29: whose body cannot be read is a refusal all the same', () => {
    const sent = { clientId: undefined, clientSecret: new Secret(SECRET) };
    expect(refusalFailure({ status: 401, body: undefined }, sent, pair)).toEqual(refusal(401, '[1'));
  });
});

describe('S10: of the answer is shown', () => {
  const trace = { traceId: '11111111-2222-3333-4444-555555555555' };
  const correlation = { correlationId: '99999999-8888-7777-6666-555555555555' };
  const entra = {
    error_description: 'AADSTS7000215: Invalid client secret provided. canary',
    error_codes: [7_000_215],
    trace_id: trace.traceId,
    correlation_id: correlation.correlationId,
  };

  it.each<[what: string, answer: unknown, shown: object, sent?: object]>([
    ['a code of 64 characters', withCode('a'.repeat(64)), { oauthError: 'a'.repeat(64) }],
    ['a number of Entra and two UUIDs', entra, { providerCode: 'AADSTS7000215', ...trace, ...correlation }],
    ['a number of digits alone', { error_codes: [7_000_215] }, { providerCode: '7000215' }],
    [
      'a code that holds a short client id',
      withCode('invalid_client'),
      { oauthError: 'invalid_client' },
      { clientId: new Secret('client') },
    ],
    ...[
      {},
      '',
      'invalid\nERROR forged',
      'ungültig',
      'a'.repeat(65),
      'Bad Request',
      'AADSTS7000215',
      SECRET,
      `bad_${SECRET}`,
      `unknown_${ID}`,
    ].map((code): [string, unknown, object] => [`no code ${JSON.stringify(code)}`, withCode(code), {}]),
    ['no other text', { error_codes: ['canary'], trace_id: 'canary', correlation_id: [trace.traceId] }, {}],
    ['no longer number', { error_codes: [123_456_789], error_description: 'AADSTS123' }, {}],
    ['no object in the place of a number', { error_codes: [{ toString: 1 }] }, {}],
    ['nothing of what is no JSON object', [entra], {}],
    [
      'no number or id that is a credential',
      { error_codes: [12_345_678], trace_id: trace.traceId, correlation_id: correlation.correlationId },
      {},
      {
        clientId: new Secret('12345678'),
        clientSecret: new Secret(trace.traceId),
        assertion: new Secret(correlation.correlationId),
      },
    ],
  ])('B7 S10: %s', (_, answer, shown, sent) => {
    const failure = refusal(400, answer, pair, sent);
    const { oauthError, providerCode, traceId, correlationId } = failure;
    expect({ oauthError, providerCode, traceId, correlationId }).toEqual(shown);
    const words = [
      oauthError,
      providerCode,
      traceId && `trace id ${traceId}`,
      correlationId && `correlation id ${correlationId}`,
    ];
    const said = words.filter(Boolean).join(', ');
    expect(failure.reason).toBe(
      `the token endpoint refused the request with status 400${said && ` (${said})`}.`,
    );
  });

  it('B29: the same in the error and in its copies, and the remedy follows a code that is not shown', () => {
    const error = new TokenRequestError(pair, refusal(401, { ...entra, error: 'invalid_client' })).copy();
    expect(error).toMatchObject({ providerCode: 'AADSTS7000215', ...trace, ...correlation });
    expect(Object.keys(new TokenRequestError(pair, refusal(401)))).not.toContain('providerCode');
    const hidden = refusal(400, withCode('unauthorized_client'), pair, {
      clientSecret: new Secret('client'),
    });
    expect([hidden.oauthError, hidden.remedy]).toEqual([undefined, remedyOf('refused-grant', pair)]);
  });
});

const remedyFor = (clientAuth: 'post' | 'private_key_jwt' | 'tls_client_auth', answer = {}) =>
  refusal(
    401,
    { error: 'invalid_client', ...answer },
    profileOf({ provider: 'partner', terms: { clientAuth } }),
  ).remedy;

describe('the remedy of a refusal', () => {
  const own = remedyOf('refused-credentials', pair);
  const { clientId: ofId, clientSecret: ofSecret } = pair.names;
  const quoted = (names: string): string => `The value of ${names} is in quotes: remove them. ${own}`;

  it.each<[what: string, sent: object, remedy: string, of?: typeof pair, status?: number]>([
    ...['"a secret"', "''", '`two\nlines`'].map((value): [string, object, string] => [
      `the secret ${JSON.stringify(value)} is in quotes`,
      { clientSecret: new Secret(value) },
      quoted(ofSecret),
    ]),
    ...['"', '"a secret\'', 'a "secret"'].map((value): [string, object, string] => [
      `the secret ${JSON.stringify(value)} is not in quotes`,
      { clientSecret: new Secret(value) },
      own,
    ]),
    [
      'both are in quotes',
      { clientId: new Secret("'id'"), clientSecret: new Secret('"x"') },
      quoted(`${ofId} and ${ofSecret}`),
    ],
    [
      'S5: the secret is that of another environment',
      {},
      `${ofSecret} has the same value as OTHER. Each environment has its own credentials: put each in its place. ${own}`,
      { ...pair, sameSecretAs: 'OTHER' },
    ],
    [
      'the path is wrong, whatever the secret',
      { clientSecret: new Secret('"x"') },
      remedyOf('other-address', pair),
      { ...pair, sameSecretAs: 'OTHER' },
      404,
    ],
  ])('B29: %s', (_, sent, remedy, of, status = 401) => {
    expect(refusal(status, {}, of, sent).remedy).toBe(remedy);
  });

  it.each([
    [60_600, 'The clock of this machine is 61 s ahead of the clock of the token endpoint'],
    [-600_000, 'The clock of this machine is 600 s behind the clock of the token endpoint'],
    [60_000, undefined],
    [-60_000, undefined],
  ])('B29: an assertion may be refused for a clock that is off by %s ms', (clockAheadMs, says) => {
    const withKey = profileOf({ credential: 'key' });
    const { remedy } = refusal(401, {}, withKey, {}, clockAheadMs);
    expect(remedy.endsWith(remedyOf('refused-credentials', withKey))).toBe(true);
    expect(says === undefined ? !remedy.includes('clock') : remedy.startsWith(says)).toBe(true);
    expect(refusal(401, {}, pair, {}, clockAheadMs).remedy).toBe(own);
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
    [401, 'invalid_client', { clientAuth: 'basic' }, `clientAuth 'post' in ${place}, instead of 'basic'.`],
    [403, 'access_denied', terms, `Check audience too, in ${place} or in for(): `],
  ])('B29 B31: %d %s names the members of a definition: %j', (status, code, of, says) => {
    const definition = { ...pair, provider: 'partner', interface: 'orders', terms: of };
    expect(refusal(status, withCode(code), definition).remedy).toContain(says);
    expect(refusal(status, withCode(code)).remedy).not.toContain('definition');
  });

  it('B29 B31: does not guess another place of a key or a certificate, or if the provider names the error', () => {
    expect(remedyFor('post')).toContain("clientAuth 'basic'");
    expect(remedyFor('post', { error_codes: [7_000_215] })).not.toContain('clientAuth');
    expect(remedyFor('private_key_jwt')).not.toContain('clientAuth');
    expect(remedyFor('tls_client_auth')).not.toContain('clientAuth');
  });
});
