import { describe, expect, it } from 'vitest';
import { EASY_SANDBOX } from '../../../support/application/variables.js';
import { MountedSecret } from '../../../support/http/mounted-secret.js';
import {
  KNOWN_VARIABLES,
  readEnvironmentVariables,
  validateOptions,
} from '../../../support/application/built-in.js';

describe('C5: the variables', () => {
  it('are named in the error of a secret file that fails later', async () => {
    const variable = 'PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE';
    const { PROVIDER_EASY_SANDBOX_CLIENT_SECRET: secret, ...others } = EASY_SANDBOX;
    const volume = new MountedSecret({ secret });
    const given = { ...others, [variable]: volume.files.secret };
    const [profile] = (await validateOptions(readEnvironmentVariables(given), {})).profiles;
    volume.replace({});
    await expect(profile?.clientSecret.read()).rejects.toMatchObject({
      problems: [{ path: 'interfaces.easy.sandbox.clientSecret', env: variable }],
    });
  });

  it('B31: are read few times, and no other variable is, because Node asks the system for each one', async () => {
    const asked: PropertyKey[] = [];
    const given = new Proxy<NodeJS.ProcessEnv>(
      { ...EASY_SANDBOX, OTHER: 'x' },
      {
        get(variables, name) {
          asked.push(name);
          return Reflect.get(variables, name) as unknown;
        },
        getOwnPropertyDescriptor(variables, name) {
          asked.push(name);
          return Reflect.getOwnPropertyDescriptor(variables, name);
        },
      },
    );
    await validateOptions(readEnvironmentVariables(given), {});
    expect(asked).not.toContain('OTHER');
    expect(asked.length).toBeLessThan(2 * KNOWN_VARIABLES.size);
  });
});
