import { describe, expect, it } from 'vitest';
import { validateOptions } from '../../support/application/built-in.js';
import { problemsOf, optionsWith } from '../../support/secrets/config-canaries.js';

const PROXY = { host: 'canary', port: 1 };
const STORE = { claim: () => {}, publish: () => {}, release: () => {} };

const pathsOf = async (member: string) =>
  (await problemsOf(optionsWith({ [member]: 1 }))).map(({ path }) => path);

describe('C4: limits are exact', () => {
  it.each([
    { path: 'token.timeoutMs', least: 1, most: 600_000, unit: ' of milliseconds' },
    { path: 'token.maxAttempts', least: 1, most: 10, unit: '' },
    { path: 'http.timeoutMs', least: 1, most: 600_000, unit: ' of milliseconds' },
    { path: 'http.maxRedirects', least: 0, most: 20, unit: '' },
    { path: 'http.proxy.port', least: 1, most: 65_535, unit: '' },
  ])('C4: $path goes from $least to $most', async ({ path, least, most, unit }) => {
    const withValue = (value: number) => optionsWith({ 'http.proxy': { ...PROXY }, [path]: value });
    for (const value of [least, most])
      await expect(validateOptions(withValue(value), {})).resolves.toBeDefined();
    const message = `must be a whole number${unit} from ${least} to ${most}.`;
    for (const value of [least - 1, least + 0.5, most + 1])
      expect(await problemsOf(withValue(value))).toEqual([{ path, message }]);
  });

  it.each(['token.expiryLeewayMs', 'token.renewAheadMs'])(
    'C4: %s starts at 0 and has no upper limit',
    async (path) => {
      for (const value of [0, Number.MAX_SAFE_INTEGER])
        await expect(validateOptions(optionsWith({ [path]: value }), {})).resolves.toBeDefined();
      const message = 'must be a whole number of milliseconds, 0 or more.';
      for (const value of [-1, 0.5, Number.POSITIVE_INFINITY])
        expect(await problemsOf(optionsWith({ [path]: value }))).toEqual([{ path, message }]);
    },
  );

  it('C4: the timeout of a store is above 0 and at most ten minutes', async () => {
    for (const timeoutMs of [undefined, 0.5, 600_000])
      await expect(
        validateOptions(optionsWith({ store: { ...STORE, timeoutMs } }), {}),
      ).resolves.toBeDefined();
    expect(await problemsOf(optionsWith({ store: Object.assign(() => {}, STORE) }))).toHaveLength(1);
    for (const timeoutMs of [0, -1, 600_001, Number.NaN, null])
      expect(await problemsOf(optionsWith({ store: { ...STORE, timeoutMs } }))).toEqual([
        {
          path: 'store',
          message:
            'must be a token store: an object with the functions claim, publish, release, and a timeoutMs above 0 and a function sealKey if it has them. Pass new RedisTokenStore(client), or leave it out.',
        },
      ]);
  });

  it('S10: a name of up to 64 letters is shown. A longer name may be a value in the wrong place', async () => {
    expect(await pathsOf('n'.repeat(64))).toEqual(['n'.repeat(64)]);
    expect(await pathsOf('n'.repeat(65))).toEqual(['[not a name]']);
    expect(await pathsOf('a_name$-1')).toEqual(['a_name$-1']);
    expect(await pathsOf('a name')).toEqual(['[not a name]']);
    expect(await pathsOf('name!')).toEqual(['[not a name]']);
  });
});
