import { NestFactory } from '@nestjs/core';
import { describe, expect, it, vi } from 'vitest';
import { examine, readEnvironmentVariables } from '../../support/application/built-in.js';
import {
  type ConfigProblem,
  ProviderAuthConfigError,
  ProviderAuthModule,
  type ProviderAuthOptions,
} from '../../../lib/index.js';
import { leaksIn } from '../../support/application/doctor.js';
import { startSimulator } from '../../support/application/simulator.js';
import { rowsUnder } from './breakages-page.js';

type Variables = Record<string, string | undefined>;

const EASY = 'PROVIDER_EASY_SANDBOX';

/** The rows of `docs/breakages.md` that the boot refuses: what is wrong, from variables of all pairs that work. */
const REFUSED: Readonly<Record<string, (env: Variables) => Variables>> = {
  'missing variable': () => ({ [`${EASY}_BASE_URL`]: undefined }),
  'misspelt name': (env) => ({
    [`${EASY}_CLIENT_SECRET`]: undefined,
    [`${EASY}_CLIENT_SECERT`]: env[`${EASY}_CLIENT_SECRET`],
  }),
  'misspelt prefix': (env) => ({
    [`${EASY}_CLIENT_ID`]: undefined,
    PROVDIER_EASY_SANDBOX_CLIENT_ID: env[`${EASY}_CLIENT_ID`],
  }),
  '`PROVIDER_ENV` instead of `PROVIDER_ENVIRONMENT`': () => ({
    PROVIDER_ENVIRONMENT: undefined,
    PROVIDER_ENV: 'sandbox',
  }),
  '`prod` instead of `production`': () => ({ PROVIDER_ENVIRONMENT: 'prod' }),
  'token URLs of the two interfaces swapped': (env) => ({
    PROVIDER_ORIGINATIONS_TOKEN_URL: env[`${EASY}_TOKEN_URL`],
    [`${EASY}_TOKEN_URL`]: env['PROVIDER_ORIGINATIONS_TOKEN_URL'],
  }),
  'base URL and token URL swapped': (env) => ({
    [`${EASY}_BASE_URL`]: env[`${EASY}_TOKEN_URL`],
    [`${EASY}_TOKEN_URL`]: env[`${EASY}_BASE_URL`],
  }),
  'http instead of https': () => ({ [`${EASY}_BASE_URL`]: 'http://sandbox.provider.test/easy/v1' }),
  'placeholder instead of an address': () => ({ [`${EASY}_BASE_URL`]: 'https://<host>/easy/v1' }),
  'placeholder instead of a client id': () => ({ [`${EASY}_CLIENT_ID`]: '<your client id>' }),
  'same client id in both environments': (env) => ({
    PROVIDER_EASY_PRODUCTION_CLIENT_ID: env[`${EASY}_CLIENT_ID`],
  }),
  'address in quotes': (env) => ({ [`${EASY}_BASE_URL`]: `"${env[`${EASY}_BASE_URL`]}"` }),
  'port 0': () => ({ [`${EASY}_BASE_URL`]: 'https://sandbox.provider.test:0/easy/v1' }),
  'shortened IP address': () => ({ [`${EASY}_BASE_URL`]: 'https://1.2.3/easy/v1' }),
  'space after a secret': (env) => ({ [`${EASY}_CLIENT_SECRET`]: `${env[`${EASY}_CLIENT_SECRET`]} ` }),
  'missing secret file': () => ({
    [`${EASY}_CLIENT_SECRET`]: undefined,
    [`${EASY}_CLIENT_SECRET_FILE`]: '/no/such/file',
  }),
  'missing authority file': () => ({ [`${EASY}_CA_FILE`]: '/no/such/file' }),
  'certificate checks switched off': () => ({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
  'active environment without settings': (env) =>
    Object.fromEntries(
      Object.keys(env)
        .filter((name) => name.startsWith(EASY))
        .map((name) => [name, undefined]),
    ),
  'same token URL for both easy environments': (env) => ({
    PROVIDER_EASY_PRODUCTION_TOKEN_URL: env[`${EASY}_TOKEN_URL`],
  }),
};

async function problemsAtBoot(variables: Variables): Promise<readonly ConfigProblem[]> {
  const options = (): ProviderAuthOptions => readEnvironmentVariables(variables) as ProviderAuthOptions;
  const app = NestFactory.createApplicationContext(ProviderAuthModule.forRootAsync({ useFactory: options }), {
    logger: false,
    abortOnError: false,
  });
  const error: unknown = await app.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof ProviderAuthConfigError ? error.problems : [];
}

/** As the page shows a problem: the setting and what to do. */
function shown({ env, path, message }: ConfigProblem): string {
  // Without a code span, the page would not show the angle brackets.
  return `\`${env ?? path}\` ${message.replace(/\w+<[^ ,]+/, '`$&`')}`;
}

const page = rowsUnder('What the boot refuses');

describe('B29: settings that the boot refuses', () => {
  it('B29: are those of the page', () => {
    expect([...page.keys()]).toEqual(Object.keys(REFUSED));
  });

  it.each(Object.entries(REFUSED))(
    'B29: %s: boot and doctor name the same setting and give the same advice',
    async (name, change) => {
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
      expect(atBoot.map(shown).join(' ')).toBe(page.get(name)?.join(' | '));
      expect(leaksIn(JSON.stringify(atBoot), provider)).toEqual([]);
    },
  );
});
