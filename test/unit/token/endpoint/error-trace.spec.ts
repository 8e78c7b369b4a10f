import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../lib/secrets/secret.js';
import { TokenRequestError } from '../../../../lib/errors/token-request.error.js';
import { readErrorTrace } from '../../../../lib/token/endpoint/error-trace.js';
import { refusalFailure } from '../../../../lib/token/endpoint/token-failures.js';
import { profileOf } from '../../../support/token/token-fixtures.js';

const TRACE = '11111111-2222-3333-4444-555555555555';
const CORRELATION = '99999999-8888-7777-6666-555555555555';
const clientId = new Secret(CORRELATION.replaceAll('9', 'a'));
const clientSecret = new Secret('12345678');

const ENTRA = {
  error: 'invalid_client',
  error_description: 'AADSTS7000215: Invalid client secret provided. canary',
  error_codes: [7_000_215],
  trace_id: TRACE,
  correlation_id: CORRELATION,
};

const traceOf = (answer: unknown) =>
  readErrorTrace(Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer)), [
    clientId,
    clientSecret,
    undefined,
  ]);

const without = (name: keyof typeof ENTRA) => ({ ...ENTRA, [name]: undefined });

describe('B29: the codes and ids of a refusal', () => {
  it.each<[string, unknown, object]>([
    [
      'are a number of Entra and two UUIDs',
      ENTRA,
      { providerCode: 'AADSTS7000215', traceId: TRACE, correlationId: CORRELATION },
    ],
    [
      'may be digits alone',
      without('error_description'),
      { providerCode: '7000215', traceId: TRACE, correlationId: CORRELATION },
    ],
    [
      'are none in another answer',
      { error: 'invalid_client', error_codes: ['canary'], trace_id: 'canary' },
      {},
    ],
    ['are none in a long number', { error_codes: [123_456_789], error_description: 'AADSTS123' }, {}],
    ['are none in what is no JSON object', '[1', {}],
    ['are none in a list', [ENTRA], {}],
  ])('B29: %s', (_, answer, expected) => {
    expect(traceOf(answer)).toEqual(expected);
  });

  it('S10: are none that hold a credential', () => {
    const echoed = { error_codes: [Number(clientSecret.reveal())], trace_id: clientId.reveal() };
    expect(traceOf(echoed)).toEqual({});
  });

  it('B29: are in the error and in its message, and the advice does not guess the place of the secret', () => {
    const pair = { ...profileOf(), provider: 'entra', terms: { clientAuth: 'post' } } as const;
    const refused = { clientId, clientSecret };
    const failure = refusalFailure(401, 'invalid_client', { ...refused, trace: traceOf(ENTRA) }, pair);
    expect(failure.reason).toBe(
      `the token endpoint refused the request with status 401 (invalid_client, AADSTS7000215, trace id ${TRACE}, correlation id ${CORRELATION}).`,
    );
    expect(failure.remedy).not.toContain("clientAuth 'basic'");
    expect(refusalFailure(401, 'invalid_client', refused, pair).remedy).toContain("clientAuth 'basic'");
    const error = new TokenRequestError(pair, failure).copy();
    expect(error).toMatchObject({
      providerCode: 'AADSTS7000215',
      traceId: TRACE,
      correlationId: CORRELATION,
    });
    expect(error.message).toContain(failure.reason);
    const plain = new TokenRequestError(pair, refusalFailure(401, 'invalid_client', refused, pair));
    expect(Object.keys(plain)).not.toContain('providerCode');
  });
});
