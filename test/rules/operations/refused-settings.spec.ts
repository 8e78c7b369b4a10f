import { expect, it, vi } from 'vitest';
import { examine, readEnvironmentVariables } from '../../support/application/built-in.js';
import {
  type ConfigProblem,
  ProviderAuthConfigError,
  ProviderAuthModule,
  type ProviderAuthOptions,
} from '../../../lib/index.js';
import { leaksIn } from '../../support/application/doctor.js';
import { startSimulator } from '../../support/application/simulator.js';
import { bootWith } from '../../support/application/boot.js';
import { errorOf } from '../../support/token/token-fixtures.js';

type Variables = Record<string, string | undefined>;

const EASY = 'PROVIDER_EASY_SANDBOX';

/** What is wrong, from variables of all pairs that work, and the problems. */
const REFUSED: Readonly<Record<string, readonly [change: (env: Variables) => Variables, problems: string]>> =
  {
    'misspelt name': [
      (env) => ({
        [`${EASY}_CLIENT_SECRET`]: undefined,
        [`${EASY}_CLIENT_SECERT`]: env[`${EASY}_CLIENT_SECRET`],
      }),
      'PROVIDER_EASY_SANDBOX_CLIENT_SECRET is missing. Set it to the client secret of this environment. PROVIDER_EASY_SANDBOX_CLIENT_SECERT is not a variable of this module. Did you mean PROVIDER_EASY_SANDBOX_CLIENT_SECRET?',
    ],
    'token URLs of the two interfaces swapped': [
      (env) => ({
        PROVIDER_ORIGINATIONS_TOKEN_URL: env[`${EASY}_TOKEN_URL`],
        [`${EASY}_TOKEN_URL`]: env['PROVIDER_ORIGINATIONS_TOKEN_URL'],
      }),
      'PROVIDER_ORIGINATIONS_TOKEN_URL is a token URL of easy: the path of the originations token URL ends in /oauth/token. Have the token URLs of originations and easy been swapped? PROVIDER_EASY_SANDBOX_TOKEN_URL is a token URL of originations: the path of the easy token URL ends in /auth/v0/connect/token. Have the token URLs of easy and originations been swapped?',
    ],
    'certificate checks switched off': [
      () => ({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
      'NODE_TLS_REJECT_UNAUTHORIZED turns off certificate checks for the whole process. Remove it. To trust a private authority, set PROVIDER_<IFACE>_<ENV>_CA_FILE to its PEM file, or tls.ca in code.',
    ],
    'active environment without settings': [
      (env) =>
        Object.fromEntries(
          Object.keys(env)
            .filter((name) => name.startsWith(EASY))
            .map((name) => [name, undefined]),
        ),
      'PROVIDER_ENVIRONMENT chooses sandbox, for which easy is not configured. Set PROVIDER_EASY_SANDBOX_TOKEN_URL, PROVIDER_EASY_SANDBOX_BASE_URL, PROVIDER_EASY_SANDBOX_CLIENT_ID, PROVIDER_EASY_SANDBOX_CLIENT_SECRET, or choose production.',
    ],
  };

async function problemsAtBoot(variables: Variables): Promise<readonly ConfigProblem[]> {
  const options = (): ProviderAuthOptions => readEnvironmentVariables(variables) as ProviderAuthOptions;
  const error = await errorOf(bootWith([ProviderAuthModule.forRootAsync({ useFactory: options })]));
  return error instanceof ProviderAuthConfigError ? error.problems : [];
}

function shown({ env, path, message }: ConfigProblem): string {
  return `${env ?? path} ${message}`;
}

it.each(Object.entries(REFUSED))(
  'B29: %s: boot and doctor name the same setting and give the same advice',
  async (_, [change, problems]) => {
    const provider = await startSimulator();
    const working = provider.env();
    const variables: Variables = { ...working, ...change(working) };
    for (const [variable, value] of Object.entries(variables))
      if (variable.startsWith('NODE_')) vi.stubEnv(variable, value);
    const atBoot = await problemsAtBoot(variables);
    const report = await examine(variables, { interface: 'easy', environment: 'sandbox' });
    expect(atBoot.length).toBeGreaterThan(0);
    expect(report.problems).toEqual(atBoot);
    expect(report.ok).toBe(false);
    expect(atBoot.map(shown).join(' ')).toBe(problems);
    expect(leaksIn(JSON.stringify(atBoot), provider)).toEqual([]);
  },
);
