import { expect, describe, it } from 'vitest';
import { FixedSecret, SecretFunction } from '../../../lib/config/secret-sources/secret-sources.js';
import type { TokenStore } from '../../../lib/config/options/token-store.js';
import type { SecretSource } from '../../../lib/secrets/secret-source.js';
import { warnOfShortSecrets } from '../../../lib/token/short-secret-warning.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';
import { profileOf, SteeredSecret } from '../../support/token/token-fixtures.js';

const store = {} as TokenStore;

async function warnings(
  clientSecret: SecretSource,
  shared: TokenStore | undefined = store,
): Promise<string[]> {
  const logs = new CapturedLogs();
  await warnOfShortSecrets({ profiles: [profileOf({ clientSecret })], store: shared }, logs);
  return logs.lines.map(({ level, text }) => `${level} ${text}`);
}

describe('B11: a client secret that a reader of the store could guess', () => {
  it('is reported at boot, without its value and its length', async () => {
    const expected =
      'warn The client secret of easy sandbox has fewer than 16 characters. Entries in the token store are sealed with a ' +
      'key made from it, so a reader of the store can guess it. Ask the provider for a longer secret, or make sure ' +
      'that only this application can read the store.';
    expect(await warnings(new FixedSecret('password'))).toEqual([expected]);
    expect(await warnings(new FixedSecret('x'.repeat(15)))).toEqual([expected]);
  });

  it('is not reported if it is long, or if no store shares the tokens', async () => {
    expect(await warnings(new FixedSecret('x'.repeat(16)))).toEqual([]);
    const logs = new CapturedLogs();
    await warnOfShortSecrets({ profiles: [profileOf({ clientSecret: new FixedSecret('a') })] }, logs);
    expect(logs.lines).toEqual([]);
  });

  it('is not read from a function, and a file that cannot be read is not reported', async () => {
    const place = { path: 'clientSecret', env: undefined };
    let calls = 0;
    const source = new SecretFunction(() => {
      calls += 1;
      return 'a';
    }, place);
    expect(await warnings(source)).toEqual([]);
    expect(calls).toBe(0);
    const missing = new SteeredSecret();
    missing.rejects(new Error('canary'));
    expect(await warnings(missing)).toEqual([]);
  });
});
