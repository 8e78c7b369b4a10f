import { describe, expect, it } from 'vitest';
import { MountedSecret } from '../../../support/http/mounted-secret.js';
import {
  CATALOGUE,
  KNOWN_VARIABLES,
  PROVIDER_ENVIRONMENTS,
  PROVIDER_INTERFACES,
  readEnvironmentVariables,
  validateOptions,
} from '../../../support/application/built-in.js';

const EASY = {
  PROVIDER_EASY_SANDBOX_TOKEN_URL: 'https://sandbox.example/auth/v0/connect/token',
  PROVIDER_EASY_SANDBOX_BASE_URL: 'https://sandbox.example/easy',
  PROVIDER_EASY_SANDBOX_CLIENT_ID: 'an id',
  PROVIDER_EASY_SANDBOX_CLIENT_SECRET: 'a secret',
};

const capital = (...names: string[]): string => ['PROVIDER', ...names].join('_').toUpperCase();

describe('C5: the variables', () => {
  it('are those of each interface and environment', () => {
    const expected = PROVIDER_INTERFACES.flatMap((of) => {
      const isShared = CATALOGUE.entryOf(of).tokenUrlPer === 'interface';
      const names = [
        'BASE_URL',
        'CLIENT_ID',
        'CLIENT_SECRET',
        'CLIENT_SECRET_FILE',
        'CA_FILE',
        'CERT_FILE',
        'KEY_FILE',
      ];
      const own = isShared ? names : ['TOKEN_URL', ...names];
      return [
        capital(of, 'ENVIRONMENT'),
        ...(isShared ? [capital(of, 'TOKEN_URL')] : []),
        ...PROVIDER_ENVIRONMENTS.flatMap((environment) => own.map((name) => capital(of, environment, name))),
      ];
    });
    expect([...KNOWN_VARIABLES].toSorted()).toEqual(
      ['PROVIDER_ENVIRONMENT', 'PROVIDER_TOKEN_AT_BOOT', ...expected].toSorted(),
    );
    expect(expected).toContain('PROVIDER_ORIGINATIONS_TOKEN_URL');
    expect(expected).toContain('PROVIDER_EASY_SANDBOX_TOKEN_URL');
  });

  it('give one environment for all interfaces, unless one interface overrides it', async () => {
    const common = readEnvironmentVariables({ ...EASY, PROVIDER_ENVIRONMENT: 'sandbox' });
    expect(common.environment).toBe('sandbox');
    const overridden = { ...EASY, PROVIDER_ENVIRONMENT: 'production', PROVIDER_EASY_ENVIRONMENT: 'sandbox' };
    const options = readEnvironmentVariables(overridden);
    expect(Object.entries(options.environment as object)).toEqual([['easy', 'sandbox']]);
    expect(Object.keys(options.interfaces)).toEqual(['easy']);
    expect((await validateOptions(options, {})).profiles).toEqual([
      expect.objectContaining({ interface: 'easy', environment: 'sandbox', active: true }),
    ]);
  });

  it('are named in the error of a secret file that fails later', async () => {
    const variable = 'PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE';
    const { PROVIDER_EASY_SANDBOX_CLIENT_SECRET: secret, ...others } = EASY;
    const volume = new MountedSecret({ secret });
    const given = { ...others, PROVIDER_ENVIRONMENT: 'sandbox', [variable]: volume.files.secret };
    const [profile] = (await validateOptions(readEnvironmentVariables(given), {})).profiles;
    volume.replace({});
    await expect(profile?.clientSecret.read()).rejects.toMatchObject({
      problems: [{ path: 'interfaces.easy.sandbox.clientSecret', env: variable }],
    });
  });
});
