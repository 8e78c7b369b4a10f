import { describe, expect, it } from 'vitest';
import { TokenRequestError } from '../../../lib/index.js';
import { given } from '../../support/http/given.js';
import { findCanaries } from '../../support/secrets/canary-scanner.js';
import { stopTime } from '../../support/token/stopped-time.js';
import { errorOf } from '../../support/token/token-fixtures.js';
import { pathsTo } from '../../support/secrets/reachable.js';

const WAITING = 'timeout of 1500ms exceeded while waiting for an access token of easy sandbox';

describe('B29: a caller whose time ends', () => {
  it.each([
    [{ transitional: { clarifyTimeoutError: true } }, { code: 'ETIMEDOUT', message: WAITING }],
    [{ timeoutErrorMessage: 'too slow' }, { message: 'too slow' }],
  ])('B29: gets the code and the message that its config asks for: %j', async (config, expected) => {
    const { easy, provider } = await given()
      .simulator({}, ({ token }) => token.hang())
      .app()
      .start();
    const time = stopTime();
    const ended = errorOf(easy.axiosRef.get('/things', { timeout: 1_500, ...config }));
    await expect.poll(() => provider.tokenRequests).toHaveLength(1);
    await time.pass(1_500);
    expect(await ended).toMatchObject(expected);
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
