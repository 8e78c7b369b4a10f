import { ConfigModule, ConfigService } from '@nestjs/config';
import { Test } from '@nestjs/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { providerAuthConfig } from '../../../../lib/module/built-in.js';
import type { Settings } from '../../../../lib/config/options/profile.js';
import { validateOptions } from '../../../support/application/built-in.js';
import { CANARY, configErrorOf, shownBy } from '../../../support/secrets/config-canaries.js';

const RIGHT = {
  PROVIDER_ENVIRONMENT: 'sandbox',
  PROVIDER_ORIGINATIONS_TOKEN_URL: 'https://auth.example/oauth/token',
  PROVIDER_ORIGINATIONS_SANDBOX_BASE_URL: 'https://sandbox.example/v1',
  PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_ID: 'canary-id-os',
  PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_SECRET: 'canary-os',
  PROVIDER_ORIGINATIONS_PRODUCTION_BASE_URL: 'https://live.example/v1',
  PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID: 'canary-id-op',
  PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_SECRET: 'canary-op',
  PROVIDER_EASY_SANDBOX_TOKEN_URL: 'https://sandbox.example/auth/v0/connect/token',
  PROVIDER_EASY_SANDBOX_BASE_URL: 'https://sandbox.example/easy',
  PROVIDER_EASY_SANDBOX_CLIENT_ID: 'canary-id-es',
  PROVIDER_EASY_SANDBOX_CLIENT_SECRET: 'canary-es',
  PROVIDER_EASY_PRODUCTION_TOKEN_URL: 'https://live.example/auth/v0/connect/token',
  PROVIDER_EASY_PRODUCTION_BASE_URL: 'https://live.example/easy',
  PROVIDER_EASY_PRODUCTION_CLIENT_ID: 'canary-id-ep',
  PROVIDER_EASY_PRODUCTION_CLIENT_SECRET: 'canary-ep',
} as const;

type Variables = Record<string, string>;

let before: NodeJS.ProcessEnv;

beforeEach(() => void (before = { ...process.env }));

afterEach(() => {
  // ConfigModule writes into process.env, and vi.unstubAllEnvs does not undo that.
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});

const setVariables = (variables: Variables): void => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
};

const without = (variables: Variables, pattern: RegExp): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !pattern.test(name)));

const settingsFrom = async (variables: Variables): Promise<Settings> => {
  setVariables(variables);
  return await validateOptions(providerAuthConfig(), {});
};

/** The problems of the variables, as `VARIABLE: message`. */
const problemLines = async (variables: Variables): Promise<string[]> => {
  setVariables(variables);
  const error = await configErrorOf(providerAuthConfig());
  expect(shownBy(error)).not.toContain(CANARY);
  return error.problems.map(({ path, env = path, message }) => `${env}: ${message}`);
};

const startingWith = (...starts: string[]) => starts.map((start) => expect.stringContaining(start));

const activeOf = ({ profiles }: Settings) =>
  profiles.filter(({ active }) => active).map((profile) => `${profile.interface} ${profile.environment}`);

describe('providerAuthConfig', () => {
  it('C5: the environment of one interface can be overridden', async () => {
    expect(activeOf(await settingsFrom({ ...RIGHT, PROVIDER_EASY_ENVIRONMENT: 'production' }))).toEqual([
      'originations sandbox',
      'easy production',
    ]);
  });

  it('leaves out an interface, or an environment, without any of its variables', async () => {
    const { profiles } = await settingsFrom(without(RIGHT, /_ORIGINATIONS_|_EASY_PRODUCTION_/));
    expect(profiles.map((profile) => `${profile.interface} ${profile.environment}`)).toEqual([
      'easy sandbox',
    ]);
  });

  it('counts an empty variable as not set', async () => {
    const empty = Object.fromEntries(
      [...Object.keys(RIGHT), 'PROVIDER_EASY_PRODUCTION_BASEURL', 'PROVIDER_ENVIROMENT']
        .filter((name) => /_EASY_PRODUCTION_|ENVIROMENT/.test(name))
        .map((name) => [name, '']),
    );
    expect((await settingsFrom({ ...RIGHT, ...empty, PROVIDER_EASY_ENVIRONMENT: '' })).profiles).toHaveLength(
      3,
    );
  });

  it('C4: names the missing variables of an interface that has some variables', async () => {
    expect(
      await problemLines({
        ...without(RIGHT, /_EASY_PRODUCTION_/),
        PROVIDER_EASY_PRODUCTION_BASE_URL: 'https://live.example',
      }),
    ).toEqual(
      startingWith(
        'PROVIDER_EASY_PRODUCTION_TOKEN_URL: is missing',
        'PROVIDER_EASY_PRODUCTION_CLIENT_ID: is missing',
        'PROVIDER_EASY_PRODUCTION_CLIENT_SECRET: is missing',
      ),
    );
  });

  it('C4: names the missing variables if only the shared token URL is set', async () => {
    expect(await problemLines({ ...without(RIGHT, /_ORIGINATIONS_(SANDBOX|PRODUCTION)_/) })).toEqual(
      startingWith(
        'interfaces.originations: has no environment. Set for sandbox PROVIDER_ORIGINATIONS_SANDBOX_BASE_URL, PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_ID, PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_SECRET; or for production',
      ),
    );
  });

  it.each([
    [{ PROVIDER_ENVIRONMENT: '' }, ['PROVIDER_ENVIRONMENT: is missing. Set it to sandbox or production.']],
    [{ PROVIDER_ENVIRONMENT: 'canary' }, ['PROVIDER_ENVIRONMENT: must be sandbox or production.']],
    [
      { PROVIDER_EASY_ENVIRONMENT: 'prod' },
      ['PROVIDER_EASY_ENVIRONMENT: must be sandbox or production. Did you mean production?'],
    ],
    [
      { PROVIDER_ENVIRONMENT: '', PROVIDER_EASY_ENVIRONMENT: 'sandbox' },
      ['PROVIDER_ENVIRONMENT: is missing. Set it to sandbox or production.'],
    ],
    [
      { PROVIDER_ENVIRONMENT: 'sandbx', PROVIDER_EASY_ENVIRONMENT: 'sandbox' },
      ['PROVIDER_ENVIRONMENT: must be sandbox or production. Did you mean sandbox?'],
    ],
  ])('C4: a wrong environment is reported with the variable to set: %j', async (variables, expected) => {
    expect(await problemLines({ ...RIGHT, ...variables })).toEqual(expected);
  });

  it('C4: refuses the environment of an interface that is not configured', async () => {
    expect(await problemLines({ ...without(RIGHT, /_EASY_/), PROVIDER_EASY_ENVIRONMENT: 'sandbox' })).toEqual(
      startingWith('PROVIDER_EASY_ENVIRONMENT: chooses an environment for easy, which is not configured'),
    );
  });

  it('S5: names both variables if two environments have the same client id', async () => {
    expect(await problemLines({ ...RIGHT, PROVIDER_EASY_PRODUCTION_CLIENT_ID: 'canary-id-es' })).toEqual(
      startingWith('PROVIDER_EASY_PRODUCTION_CLIENT_ID: is the same as PROVIDER_EASY_SANDBOX_CLIENT_ID'),
    );
  });

  it.each(['PROVIDER_FOO', 'PROVIDER_ENV', 'PROVIDER_EASY_TIMEOUT_MS', 'PROVIDER_EASYPAY_SANDBOX_URL'])(
    'ignores %s, which belongs to the application',
    async (variable) => {
      await expect(settingsFrom({ ...RIGHT, [variable]: 'canary' })).resolves.toBeDefined();
    },
  );

  it('C4: reports problems of variables together with all other problems', async () => {
    setVariables({ ...RIGHT, PROVIDER_EASY_SANBOX_BASE_URL: 'canary', PROVIDER_EASY_SANDBOX_CLIENT_ID: '' });
    const error = await configErrorOf({ ...providerAuthConfig(), token: { timeoutMs: 0 } });
    expect(error.problems.map(({ path, env }) => env ?? path)).toEqual([
      'PROVIDER_EASY_SANDBOX_CLIENT_ID',
      'token.timeoutMs',
      'PROVIDER_EASY_SANBOX_BASE_URL',
    ]);
  });
});

it('S10: what ConfigService keeps shows no credential in any output', async () => {
  setVariables(RIGHT);
  const app = await Test.createTestingModule({
    imports: [ConfigModule.forRoot({ ignoreEnvFile: true, isGlobal: true, load: [providerAuthConfig] })],
  }).compile();
  const config = app.get(ConfigService);
  const kept: unknown = config.get('providerAuth');
  for (const shown of [
    kept,
    app.get(providerAuthConfig.KEY),
    config,
    config.get('providerAuth.interfaces.easy.sandbox.clientId'),
  ])
    expect(shownBy(shown)).not.toContain(CANARY);
  expect((await validateOptions(kept, {})).profiles).toHaveLength(4);
  await app.close();
});
