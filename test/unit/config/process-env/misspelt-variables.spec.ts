import { describe, expect, it } from 'vitest';
import { readEnvironmentVariables } from '../../../../lib/config/process-env/read-variables.js';
import { problemsOf } from '../../../support/secrets/config-canaries.js';

/** What was probably meant by variables that are none of ours; what else is wrong is of no interest here. */
async function meantBy(...variables: string[]): Promise<string[]> {
  const given = Object.fromEntries(variables.map((variable) => [variable, 'canary']));
  return (await problemsOf(readEnvironmentVariables(given)))
    .filter(({ path }) => path.startsWith('environment variable '))
    .map(({ message }) => message.replace(/.*Did you mean (.*)\?/, '$1'));
}

describe('C4: a variable that looks misspelt', () => {
  it('is told by its name, with what was probably meant', async () => {
    expect(await problemsOf(readEnvironmentVariables({ PROVIDER_ENVIROMENT: 'canary' }))).toContainEqual({
      path: 'environment variable PROVIDER_ENVIROMENT',
      env: 'PROVIDER_ENVIROMENT',
      message: 'is not a variable of this module. Did you mean PROVIDER_ENVIRONMENT?',
    });
  });

  it('is two slips away from one of ours, and not three', async () => {
    expect(await meantBy('PROVIDER_EASY_SANBX_CLIENT_ID')).toEqual(['PROVIDER_EASY_SANDBOX_CLIENT_ID']);
    expect(await meantBy('PROVDR_EASY_SANDBOX_CLIENT_ID')).toEqual(['PROVIDER_EASY_SANDBOX_CLIENT_ID']);
    expect(await meantBy('PROVDR_EAY_SANDBOX_CLIENT_ID')).toEqual([]);
    expect(await meantBy('PRODR_EASY_SANDBOX_CLIENT_ID')).toEqual([]);
    expect(await meantBy('MY_PROVIDER_ENVIRONMENT')).toEqual([]);
    expect(await meantBy('PROVIDER_EASY_SANDBOX_CLIENT_ID_FIL')).toEqual([]);
  });

  it('means the nearest one', async () => {
    expect(await meantBy('PROVIDER_EASY_SANDBOX_CLIENT_I')).toEqual(['PROVIDER_EASY_SANDBOX_CLIENT_ID']);
    expect(await meantBy('PROVIDER_ORIGINATION_TOKEN_URL')).toEqual(['PROVIDER_ORIGINATIONS_TOKEN_URL']);
    expect(await meantBy('PROVIDER_EASY_PRODUCTION_CLIENT_SECRET_FIL')).toEqual([
      'PROVIDER_EASY_PRODUCTION_CLIENT_SECRET_FILE',
    ]);
  });

  it.each([
    ['LIVE', 'PRODUCTION'],
    ['PRD', 'PRODUCTION'],
    ['PROD', 'PRODUCTION'],
    ['TEST', 'SANDBOX'],
    ['SBX', 'SANDBOX'],
    ['SAND', 'SANDBOX'],
  ])('may call the environment %s', async (word, environment) => {
    expect(await meantBy(`PROVIDER_EASY_${word}_BASE_URL`)).toEqual([
      `PROVIDER_EASY_${environment}_BASE_URL`,
    ]);
    expect(await meantBy(`PROVIDER_ORIGINATIONS_${word}_CLIENT_SECRET_FILE`)).toEqual([
      `PROVIDER_ORIGINATIONS_${environment}_CLIENT_SECRET_FILE`,
    ]);
  });

  it.each([
    ['PROVIDER_EASY_TOKEN_URL', 'PROVIDER_EASY_SANDBOX_TOKEN_URL'],
    ['PROVIDER_ORIGINATIONS_CLIENT_ID', 'PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_ID'],
    ['PROVIDER_EASY_CLIENT_SECRET_FILE', 'PROVIDER_EASY_SANDBOX_CLIENT_SECRET_FILE'],
    ['PROVIDER_ORIGINATIONS_LIVE_TOKEN_URL', 'PROVIDER_ORIGINATIONS_TOKEN_URL'],
    ['PROVIDER_EASY_SANDBOX_ENVIRONMENT', 'PROVIDER_EASY_ENVIRONMENT'],
  ])('may stand on the wrong level: %s for %s', async (variable, meant) => {
    expect(await meantBy(variable)).toEqual([meant]);
  });

  it.each([
    'PROVIDER_EASY_WEBHOOK_BASE_URL',
    'PROVIDER_EASY_SANDBOX_BASE_URI_TEMPLATE',
    'EASY_LIVE_BASE_URL',
  ])('is not %s, which names something else', async (variable) => {
    expect(await meantBy(variable)).toEqual([]);
  });
});

describe('C4: a variable that ends in _ENV', () => {
  it('is one cut short, for all interfaces and for one', async () => {
    expect(await meantBy('PROVIDER_ENV')).toEqual(['PROVIDER_ENVIRONMENT']);
    expect(await meantBy('PROVIDER_EASY_ENV')).toEqual(['PROVIDER_EASY_ENVIRONMENT']);
  });

  it('is somebody else’s beside the one that it would stand for', async () => {
    expect(await meantBy('PROVIDER_ENV', 'PROVIDER_ENVIRONMENT')).toEqual([]);
    expect(await meantBy('PROVIDER_EASY_ENV', 'PROVIDER_EASY_ENVIRONMENT')).toEqual([]);
    expect(await meantBy('PROVIDER_ENVIROMENT', 'PROVIDER_ENVIRONMENT')).toEqual(['PROVIDER_ENVIRONMENT']);
  });

  it('means nothing with _ENV elsewhere', async () => {
    expect(await meantBy('PROVIDER_ENV_NAME')).toEqual([]);
  });
});
