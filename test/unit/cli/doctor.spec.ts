import axios from 'axios';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCatalogue } from '../../../lib/catalogue/catalogue.js';
import { adviceOnAxios, examine } from '../../../lib/cli/doctor.js';
import { COMPARED_AXIOS } from '../../../lib/http/axios/compared-axios.js';
import { CATALOGUE } from '../../support/application/built-in.js';
import { ORIGINATIONS } from '../../support/application/doctor-check.js';
import { playSteps } from '../../support/application/played-steps.js';

const examined = (
  variables: NodeJS.ProcessEnv,
  examination: Parameters<typeof examine>[2] = {},
  catalogues = [CATALOGUE],
) => examine(catalogues, variables, examination);

const ENTRIES = { stock: { tokenUrlPer: 'environment', tokenPathExample: '/token' } } as const;

const installed: unknown = Reflect.get(axios, 'VERSION');

beforeEach(() => {
  // A folder with a simulator's settings gets further advice, and one that was removed gets none.
  vi.spyOn(process, 'cwd').mockImplementation(() => {
    throw new Error('ENOENT');
  });
  Reflect.set(axios, 'VERSION', COMPARED_AXIOS.highest);
});

afterEach(() => void Reflect.set(axios, 'VERSION', installed));

describe('the advice that is for all pairs', () => {
  it.each<[NodeJS.ProcessEnv, string]>([
    [{}, ''],
    [{ A: 'x', AUTH0_API_SANDBOX_TOKEN_URL: 'x' }, 'AUTH0_API_SANDBOX_TOKEN_URL is set. '],
  ])('B29: a forgotten --provider is named, and a variable of it: %j', async (variables, seen) => {
    const report = await examined(variables);
    expect(report.advice).toEqual([
      `${seen}If you defined the provider yourself, add --provider with the compiled file that exports it.`,
    ]);
  });

  it('B29: --provider is not named if a variable of the built-in provider is set', async () => {
    const variables = { AUTH0_API_SANDBOX_TOKEN_URL: 'x', PROVIDER_ENVIRONMENT: 'sandbox' };
    expect((await examined(variables)).advice).toBeUndefined();
    const own = createCatalogue('depot', ['test'], ENTRIES);
    for (const all of [[own], [CATALOGUE, own]]) expect((await examined({}, {}, all)).advice).toBeUndefined();
  });

  it('B29: names the file of --settings, and says nothing about .env then', async () => {
    const report = await examined({}, { settings: ['prod.env', 'more.env'] });
    const text = JSON.stringify(report);
    expect(text).toContain('is set. Add them to prod.env or more.env.');
    expect(text).not.toContain('ConfigModule');
  });

  it('S5: a pair that shares its secret with another one has a warning, and its results name its provider', async () => {
    playSteps();
    const own = createCatalogue('depot', ['test', 'live'], ENTRIES);
    const variables = ['TEST', 'LIVE'].flatMap((environment) =>
      Object.entries({
        TOKEN_URL: `https://${environment}.example/token`,
        BASE_URL: `https://${environment}.example`,
        CLIENT_ID: environment,
        CLIENT_SECRET: 'canary-of-both',
      }).map(([name, value]) => [`DEPOT_STOCK_${environment}_${name}`, value]),
    );
    const { results } = await examined({ ...Object.fromEntries(variables), DEPOT_ENVIRONMENT: 'test' }, {}, [
      own,
    ]);
    expect(results.slice(1).map(({ steps }) => steps[0]?.advice)).toEqual([
      'DEPOT_STOCK_LIVE_CLIENT_SECRET has the same value as DEPOT_STOCK_TEST_CLIENT_SECRET. Each environment has its own credentials: put each in its place.',
    ]);
    expect(results[0]).toMatchObject({ provider: 'depot', host: 'test.example', ok: true });
  });

  it('B29: a pair with wrong settings is not checked, and its steps say so', async () => {
    playSteps();
    const name = 'PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID';
    const { results } = await examined({ ...ORIGINATIONS, [name]: undefined });
    const [right, wrong] = results.map(({ steps }) => steps);
    expect(right?.[0]).toMatchObject({ status: 'ok', detail: 'complete' });
    expect(wrong?.slice(0, 2)).toMatchObject([
      {
        status: 'failed',
        detail: 'incomplete or wrong',
        code: 'CONFIG_INVALID',
        advice: 'Fix the problems listed above.',
      },
      { status: 'skipped', detail: 'an earlier step failed', blocked: true },
    ]);
  });

  it('B36: ends with what is slow with the installed axios', async () => {
    Reflect.set(axios, 'VERSION', '99.0.0');
    playSteps();
    expect((await examined(ORIGINATIONS)).advice).toEqual([adviceOnAxios('99.0.0')]);
  });

  it.each(['1.19.9', '1.21.2', '', null])('B36: names the versions that are not slow: %s', (version) => {
    expect(adviceOnAxios(version)).toContain('axios 1.20.0 to 1.21.1');
  });

  it('B36: says nothing about a version that is not slow', () => {
    expect(adviceOnAxios('1.20.0')).toBeUndefined();
  });
});
