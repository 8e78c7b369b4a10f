import { isAxiosError } from 'axios';
import { describe, expect, it } from 'vitest';
import { TokenRequestError } from '../../../lib/index.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { given } from '../../support/http/given.js';
import { findCanaries } from '../../support/secrets/canary-scanner.js';
import { stopTime } from '../../support/token/stopped-time.js';
import { errorOf } from '../../support/token/token-fixtures.js';
import { pathsTo } from '../../support/secrets/reachable.js';

const WAITING = 'timeout of 1500ms exceeded while waiting for an access token of easy sandbox';

const unauthorizedOnce: Script = ({ api }) => {
  api.next().unauthorized();
  api.hang();
};

const noRenewal: Script = ({ api, token }) => {
  token.next().regular();
  token.hang();
  api.unauthorized();
};

type Script = (provider: ProviderSimulator) => void;

/** The error of a call whose time ends after these requests have arrived. */
async function errorAtEnd(script: Script, arrived: { tokens: number; calls: number }, config: object = {}) {
  const { easy, provider } = await given().simulator({}, script).app().start();
  const time = stopTime();
  const ended = errorOf(easy.axiosRef.get('/things', { timeout: 1_500, ...config }));
  await expect
    .poll(() => ({ tokens: provider.tokenRequests.length, calls: provider.apiRequests.length }))
    .toEqual(arrived);
  await time.pass(1_500);
  return ended;
}

describe('B29: a caller whose time ends', () => {
  it.each<[string, Script, { tokens: number; calls: number }]>([
    ['the first token', ({ token }) => token.hang(), { tokens: 1, calls: 0 }],
    ['another token after a 401', noRenewal, { tokens: 2, calls: 1 }],
  ])('B29: while it waits for %s gets an error that says so', async (_, script, arrived) => {
    const error = await errorAtEnd(script, arrived);
    expect(isAxiosError(error)).toBe(true);
    expect(error).toMatchObject({ name: 'AxiosError', code: 'ECONNABORTED', message: WAITING });
  });

  it.each([
    [{ transitional: { clarifyTimeoutError: true } }, { code: 'ETIMEDOUT', message: WAITING }],
    [{ timeoutErrorMessage: 'too slow' }, { message: 'too slow' }],
  ])('B29: gets the code and the message that its config asks for: %j', async (config, expected) => {
    const error = await errorAtEnd(({ token }) => token.hang(), { tokens: 1, calls: 0 }, config);
    expect(error).toMatchObject(expected);
  });

  it.each<[string, Script, { tokens: number; calls: number }]>([
    ['for the API', ({ api }) => api.hang(), { tokens: 1, calls: 1 }],
    ['for the API again, after a renewal', unauthorizedOnce, { tokens: 2, calls: 2 }],
  ])('B29: while it waits %s gets the message of axios', async (_, script, arrived) => {
    const error = await errorAtEnd(script, arrived);
    expect(error).toMatchObject({ code: 'ECONNABORTED', message: 'timeout of 1500ms exceeded' });
  });
});

describe('B29: a 401 that is returned because the renewal failed', () => {
  it.each([{}, { responseType: 'stream' as const }])(
    'B29, B12: has the error of the renewal as its cause, and no token (%j)',
    async (config) => {
      const { error, provider } = await given()
        .simulator({}, ({ api, token }) => {
          token.next().regular();
          token.refuse('invalid_client');
          api.unauthorized();
        })
        .app()
        .call(({ easy }) => easy.get('/things', config));
      expect(error).toMatchObject({ name: 'AxiosError', response: { status: 401 } });
      const { cause } = error as Error;
      expect(cause).toBeInstanceOf(TokenRequestError);
      expect(cause).toMatchObject({ code: 'TOKEN_REJECTED', interface: 'easy', environment: 'sandbox' });
      const [{ token = '' } = {}] = provider.tokenRequests;
      expect(token).not.toBe('');
      expect(pathsTo(token, error)).toEqual([]);
      const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
      expect(findCanaries(error, { token, clientId, clientSecret })).toEqual([]);
      // As axios sets it: not among the members that JSON shows.
      expect(Object.keys(error as object)).not.toContain('cause');
    },
  );

  it('B29: has no cause where a renewed token is refused, too', async () => {
    const { error } = await given()
      .simulator({}, ({ api }) => api.unauthorized())
      .app()
      .call(({ easy }) => easy.get('/things'));
    expect(error).toMatchObject({ response: { status: 401 } });
    expect((error as Error).cause).toBeUndefined();
  });
});
