import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { PROVIDER_INTERFACES, readEnvironmentVariables } from '../../support/application/built-in.js';
import { givenFolder } from '../../support/run/given-folder.js';
import { problemsOf } from '../../support/secrets/config-canaries.js';

const ENV_FILE = 'PROVIDER_ENVIRONMENT=sandbox\nPROVIDER_EASY_SANDBOX_CLIENT_SECRET=canary\n';

async function messageOf(variables: NodeJS.ProcessEnv): Promise<string> {
  const problems = await problemsOf(readEnvironmentVariables(variables));
  return problems.find(({ path }) => path === 'interfaces')?.message ?? '';
}

describe('B29: a boot without any variable of an interface', () => {
  let folder: string;

  beforeEach(() => {
    folder = givenFolder();
    vi.spyOn(process, 'cwd').mockReturnValue(folder);
  });

  it.each([
    { PROVIDER_ENVIRONMENT: 'sandbox' },
    { PROVIDER_ENVIRONMENT: 'sandbox', PROVIDER_EASY_ENVIRONMENT: 'sandbox' },
  ])('B29: names .env, ConfigModule.forRoot() and the working directory: %o', async (variables) => {
    expect(await messageOf(variables)).toBe(
      "configures no interface: no variable for an address or the client's credentials, such as " +
        `${PROVIDER_INTERFACES.map((name) => `PROVIDER_${name.toUpperCase()}_…`).join(' or ')}, ` +
        'is set. Pass them to this process. If they ' +
        `are in a .env file: ConfigModule.forRoot() reads it from the working directory, which is ${folder}. ` +
        'With envFilePath, it reads other files. Variables without a value do not count.',
    );
  });

  it('B29: says that a .env file there has such variables and was not read, without their values', async () => {
    writeFileSync(join(folder, '.env'), ENV_FILE);
    const message = await messageOf({});
    expect(message).toContain(
      `The file .env in the working directory, ${folder}, has such variables, but it was not read. ` +
        'Import ConfigModule.forRoot() in the root module. If you do, its envFilePath names another file.',
    );
    expect(message).not.toContain('canary');
  });

  it.each([
    ['has none of them', 'PROVIDER_ENVIRONMENT=sandbox\nOTHER=1\n'],
    [
      'only chooses environments',
      'PROVIDER_ENVIRONMENT=sandbox\nexport PROVIDER_EASY_ENVIRONMENT = sandbox\n',
    ],
    [
      'has them without a value',
      'PROVIDER_EASY_SANDBOX_BASE_URL=\n# PROVIDER_EASY_SANDBOX_CLIENT_ID=canary\n',
    ],
  ])('B29: does not say so of a .env file that %s', async (_, text) => {
    writeFileSync(join(folder, '.env'), text);
    expect(await messageOf({})).toContain('ConfigModule.forRoot() reads it from the working directory');
  });
});
