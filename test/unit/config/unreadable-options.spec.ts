import { describe, expect, it } from 'vitest';
import {
  CANARY,
  configErrorOf,
  optionsAt,
  optionsWith,
  rightOptions,
  shownBy,
} from '../../support/secrets/config-canaries.js';

/** Correct options, in which the getter of one member throws. */
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
  ])('C4: is one problem and no other: %s', async (path) => {
    const error = await configErrorOf(withThrowingGetter(path));
    expect(error.problems).toEqual([{ path, message: 'cannot be read: its getter throws. Fix the getter.' }]);
    expect(shownBy(error).toLowerCase()).not.toContain(CANARY);
  });
});

function failing(): never {
  throw new Error('canary in a trap');
}

describe('C4: options behind a proxy', () => {
  it('that hides its prototype may have only options as members', async () => {
    const options = new Proxy({ ...rightOptions(), vault: {} }, { getPrototypeOf: failing });
    expect((await configErrorOf(options)).problems.map(({ path }) => path)).toEqual(['vault']);
  });

  it('that hides its list of members is checked by the members that are read', async () => {
    const options = new Proxy(optionsWith({ 'token.timeoutMs': 0 }), { ownKeys: failing });
    expect((await configErrorOf(options)).problems.map(({ path }) => path)).toEqual(['token.timeoutMs']);
  });

  it('S10: that returns values which throw is refused, and the texts are not shown', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const error = await configErrorOf(new Proxy({}, { get: () => proxy }));
    expect(error.code).toBe('CONFIG_INVALID');
    expect(shownBy(error).toLowerCase()).not.toContain(CANARY);
  });
});
