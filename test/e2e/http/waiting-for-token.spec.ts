import { isAxiosError } from 'axios';
import { describe, expect, it } from 'vitest';
import { TokenRequestError } from '../../../lib/index.js';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { given } from '../../support/http/given.js';
import { findCanaries } from '../../support/secrets/canary-scanner.js';
import { pathsTo } from '../../support/secrets/reachable.js';

const WAITING = 'timeout of 1500ms exceeded while waiting for an access token of easy sandbox';

describe('B29: a caller whose time ends', () => {
  it.each<[string, (provider: ProviderSimulator) => unknown]>([
    ['the first token', ({ token }) => token.hang()],
    [
      'another token after a 401',
      ({ api, token }) => {
        token.next().regular();
        token.hang();
        return api.unauthorized();
      },
    ],
  ])('B29: while it waits for %s gets an error that says so', async (_, script) => {
    const { error } = await given()
      .simulator({}, (provider) => void script(provider))
      .app()
      .call(({ easy }) => easy.get('/things', { timeout: 1_500 }));
    expect(isAxiosError(error)).toBe(true);
    expect(error).toMatchObject({ name: 'AxiosError', code: 'ECONNABORTED', message: WAITING });
  });

  it('B29: gets the code and the message that its config asks for', async () => {
    const { easy } = await given()
      .simulator({}, ({ token }) => token.hang())
      .app()
      .start();
    const call = (config: object): Promise<unknown> =>
      easy.axiosRef.get('/things', { timeout: 1_500, ...config }).catch((error: unknown) => error);
    expect(await call({ transitional: { clarifyTimeoutError: true } })).toMatchObject({
      code: 'ETIMEDOUT',
      message: WAITING,
    });
    expect(await call({ timeoutErrorMessage: 'too slow' })).toMatchObject({ message: 'too slow' });
  });

  it.each<[string, (provider: ProviderSimulator) => unknown]>([
    ['for the API', ({ api }) => api.hang()],
    [
      'for the API again, after a renewal',
      ({ api }) => {
        api.next().unauthorized();
        return api.hang();
      },
    ],
  ])('B29: while it waits %s gets the message of axios', async (_, script) => {
    const { error } = await given()
      .simulator({}, (provider) => void script(provider))
      .app()
      .call(({ easy }) => easy.get('/things', { timeout: 1_500 }));
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
