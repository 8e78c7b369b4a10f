import { describe, expect, it } from 'vitest';
import { CANARY, configErrorOf, optionsAt, optionsWith, shownBy } from '../../support/config-canaries.js';

/** Right options, the member at the path behind a getter that throws. */
function withThrowingGetter(path: string): object {
  const options = optionsWith({
    environment: path.startsWith('environment.') ? { originations: 'sandbox' } : 'sandbox',
    token: {},
    http: {
      headers: {},
      proxy: { host: 'canary', port: 1, auth: { username: 'canary', password: 'canary' } },
    },
  });
  const end = path.lastIndexOf('.');
  Object.defineProperty(optionsAt(options, path.slice(0, Math.max(0, end))), path.slice(end + 1), {
    enumerable: true,
    get: () => {
      throw new Error('canary in a getter');
    },
  });
  return options;
}

describe('C4: a member whose getter throws', () => {
  it.each([
    'environment',
    'environment.easy',
    'interfaces',
    'interfaces.easy',
    'interfaces.originations.tokenUrl',
    'interfaces.easy.sandbox',
    'interfaces.easy.sandbox.tokenUrl',
    'interfaces.easy.sandbox.baseUrl',
    'interfaces.easy.sandbox.clientId',
    'interfaces.easy.sandbox.clientSecret',
    'token',
    'token.timeoutMs',
    'http',
    'http.timeoutMs',
    'http.retryUnauthorized',
    'http.httpsAgent',
    'http.transport',
    'http.headers',
    'http.headers.X-Caller',
    'http.proxy',
    'http.proxy.host',
    'http.proxy.protocol',
    'http.proxy.auth',
    'http.proxy.auth.username',
    'store',
  ])('C4: is told once, and as nothing but that: %s', (path) => {
    const error = configErrorOf(withThrowingGetter(path));
    expect(error.problems).toEqual([
      { path, message: 'cannot be read: its getter throws. Mend the getter.' },
    ]);
    expect(shownBy(error).toLowerCase()).not.toContain(CANARY);
  });
});
