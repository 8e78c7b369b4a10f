import { tmpdir } from 'node:os';
import axios from 'axios';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCatalogue } from '../../../lib/catalogue/catalogue.js';
import { adviceOnAxios, examine } from '../../../lib/cli/doctor.js';
import type { Finding, StepName } from '../../../lib/cli/report.js';
import { COMPARED_AXIOS } from '../../../lib/http/axios/compared-axios.js';
import { CATALOGUE } from '../../support/application/built-in.js';
import { NotedReporter, ORIGINATIONS } from '../../support/application/doctor-check.js';
import { playSteps } from '../../support/application/played-steps.js';

/** The variables of both environments of easy, which have two token URLs. */
const EASY = {
  PROVIDER_EASY_SANDBOX_TOKEN_URL: 'https://sandbox.provider.example/auth/v0/connect/token',
  PROVIDER_EASY_SANDBOX_BASE_URL: 'https://sandbox.provider.example/easy',
  PROVIDER_EASY_SANDBOX_CLIENT_ID: 'three',
  PROVIDER_EASY_SANDBOX_CLIENT_SECRET: 'canary-three',
  PROVIDER_EASY_PRODUCTION_TOKEN_URL: 'https://provider.example/auth/v0/connect/token',
  PROVIDER_EASY_PRODUCTION_BASE_URL: 'https://provider.example/easy',
  PROVIDER_EASY_PRODUCTION_CLIENT_ID: 'four',
  PROVIDER_EASY_PRODUCTION_CLIENT_SECRET: 'canary-four',
};

const REFUSED: Finding = {
  status: 'failed',
  detail: 'refused',
  advice: 'Check it.',
  facts: { status: 400, oauthError: 'invalid_client' },
};

/** A step of some pairs finds this. */
const finding =
  (found: Finding, at: StepName = 'token-request', where = '') =>
  (step: StepName, { profile }: { readonly profile: { readonly names: { readonly baseUrl: string } } }) =>
    step === at && profile.names.baseUrl.includes(where) ? found : undefined;

async function examined(
  variables: NodeJS.ProcessEnv,
  examination: Parameters<typeof examine>[2] = {},
  catalogues = [CATALOGUE],
) {
  const reporter = new NotedReporter();
  const report = await examine(catalogues, variables, examination, reporter);
  return { report, reporter };
}

const installed: unknown = Reflect.get(axios, 'VERSION');

const before = process.cwd();
// A folder with a simulator's settings gets further advice.
beforeAll(() => process.chdir(tmpdir()));
afterAll(() => process.chdir(before));

beforeEach(() => void Reflect.set(axios, 'VERSION', COMPARED_AXIOS.highest));

afterEach(() => void Reflect.set(axios, 'VERSION', installed));

describe('the advice from several results', () => {
  const SECRETS =
    'originations sandbox and originations production refuse their credentials. Have their secrets been swapped? ' +
    'Compare PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_ID, PROVIDER_ORIGINATIONS_SANDBOX_CLIENT_SECRET ' +
    'with PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_ID, PROVIDER_ORIGINATIONS_PRODUCTION_CLIENT_SECRET.';
  const TOKEN_URLS =
    'easy sandbox and easy production refuse their credentials. Have their credentials or their token URLs been swapped? ' +
    'Compare PROVIDER_EASY_SANDBOX_CLIENT_ID, PROVIDER_EASY_SANDBOX_CLIENT_SECRET, PROVIDER_EASY_SANDBOX_TOKEN_URL ' +
    'with PROVIDER_EASY_PRODUCTION_CLIENT_ID, PROVIDER_EASY_PRODUCTION_CLIENT_SECRET, PROVIDER_EASY_PRODUCTION_TOKEN_URL.';

  it('names what may have been swapped, if all environments refuse their credentials', async () => {
    playSteps(finding(REFUSED));
    const { report } = await examined({ ...ORIGINATIONS, ...EASY });
    expect(report.advice).toEqual([SECRETS, TOKEN_URLS]);
  });

  it.each<[string, Finding, StepName, string, readonly string[] | undefined]>([
    ['a status 401 alone', { ...REFUSED, facts: { status: 401 } }, 'token-request', 'EASY', [TOKEN_URLS]],
    ['only one environment', REFUSED, 'token-request', 'EASY_SANDBOX', undefined],
    ['another refusal', { ...REFUSED, facts: { status: 403 } }, 'token-request', 'EASY', undefined],
    ['a failure without facts', { status: 'failed', detail: 'late' }, 'token-request', 'EASY', undefined],
    ['no failure', { ...REFUSED, status: 'ok' }, 'token-request', 'EASY', undefined],
    ['a probe that the API refused', { ...REFUSED, facts: { status: 401 } }, 'probe', 'EASY', undefined],
  ])('is given only for that: %s', async (_, found, step, where, advice) => {
    playSteps(finding(found, step, where));
    const { report } = await examined({ ...ORIGINATIONS, ...EASY });
    expect(report.advice).toEqual(advice);
    expect('advice' in report).toBe(advice !== undefined);
  });

  it('compares no interface with that of another provider', async () => {
    const entries = { stock: { tokenUrlPer: 'environment', tokenPathExample: '/token' } } as const;
    const both = ['depot', 'yard'].map((name) => createCatalogue(name, ['test', 'live'], entries));
    const variables = Object.fromEntries(
      ['DEPOT', 'YARD'].flatMap((name) => [
        [`${name}_ENVIRONMENT`, 'test'],
        ...['TEST', 'LIVE'].flatMap((environment) => [
          [`${name}_STOCK_${environment}_TOKEN_URL`, `https://auth.${name}.${environment}.example/token`],
          [`${name}_STOCK_${environment}_BASE_URL`, `https://${name}.${environment}.example/v1`],
          [`${name}_STOCK_${environment}_CLIENT_ID`, `client-${name}-${environment}`],
          [`${name}_STOCK_${environment}_CLIENT_SECRET`, `canary-${name}-${environment}`],
        ]),
      ]),
    );
    playSteps(finding(REFUSED, 'token-request', 'DEPOT_STOCK'));
    const { report } = await examined(variables, {}, both);
    expect(report.problems).toBeUndefined();
    expect(report.results.map(({ provider, ok }) => `${provider} ${ok}`)).toEqual([
      'depot false',
      'depot false',
      'yard true',
      'yard true',
    ]);
    expect(report.advice).toEqual([
      'depot stock test and depot stock live refuse their credentials. Have their credentials or their token URLs been swapped? ' +
        'Compare DEPOT_STOCK_TEST_CLIENT_ID, DEPOT_STOCK_TEST_CLIENT_SECRET, DEPOT_STOCK_TEST_TOKEN_URL ' +
        'with DEPOT_STOCK_LIVE_CLIENT_ID, DEPOT_STOCK_LIVE_CLIENT_SECRET, DEPOT_STOCK_LIVE_TOKEN_URL.',
    ]);
    playSteps(finding(REFUSED, 'token-request', 'STOCK_TEST'));
    expect((await examined(variables, {}, both)).report).not.toHaveProperty('advice');
  });

  it.each<[NodeJS.ProcessEnv, string]>([
    [{}, ''],
    [{ AUTH0_API_SANDBOX_TOKEN_URL: 'x' }, 'AUTH0_API_SANDBOX_TOKEN_URL is set. '],
  ])('B29: a forgotten --provider is named, and a variable of it: %j', async (variables, seen) => {
    const { report } = await examined(variables);
    expect(report.advice).toEqual([
      `${seen}If you defined the provider yourself, add --provider with the compiled file that exports it.`,
    ]);
  });

  it('B29: --provider is not named if a variable of the built-in provider is set', async () => {
    const variables = { AUTH0_API_SANDBOX_TOKEN_URL: 'x', PROVIDER_ENVIRONMENT: 'sandbox' };
    expect((await examined(variables)).report).not.toHaveProperty('advice');
    const own = createCatalogue('depot', ['test'], {
      stock: { tokenUrlPer: 'environment', tokenPathExample: '/token' },
    });
    expect((await examined({}, {}, [own])).report).not.toHaveProperty('advice');
  });

  it('B29: names the file of --settings, and says nothing about .env then', async () => {
    const { report } = await examined({}, { settings: ['prod.env'] });
    const text = JSON.stringify(report);
    expect(text).toContain('is set. Add them to prod.env.');
    expect(text).not.toContain('ConfigModule');
  });

  it('B29: names the variables that the module does not know, as the boot does', async () => {
    playSteps();
    const { report } = await examined({ ...ORIGINATIONS, PROVIDER_EASY_SANDBOX_CA_PATH: 'ca.pem' });
    expect(report.advice).toEqual([
      expect.stringMatching(
        /does not know these variables.*PROVIDER_EASY_SANDBOX_CA_PATH \(did you mean .*CA_FILE\?\)/,
      ),
    ]);
  });

  it('B36: ends with what is slow with the installed axios', async () => {
    Reflect.set(axios, 'VERSION', '99.0.0');
    playSteps(finding(REFUSED));
    const { report } = await examined(ORIGINATIONS);
    expect(report.advice).toEqual([SECRETS, adviceOnAxios('99.0.0')]);
  });

  it.each(['1.19.9', '1.21.2', '', null])('B36: names the versions that are not slow: %s', (version) => {
    expect(adviceOnAxios(version)).toContain('axios 1.20.0 to 1.21.1');
  });

  it('B36: says nothing about a version that is not slow', () => {
    expect(adviceOnAxios('1.20.0')).toBeUndefined();
  });
});
