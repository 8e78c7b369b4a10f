import { expect, it } from 'vitest';
import { Secret } from '../../../../lib/secrets/secret.js';
import { requiredPartsOf } from '../../../../lib/testing/any-provider.js';
import { NO_NETWORK } from '../../../../lib/testing/fake/no-network.js';
import { fakeOptions } from '../../../../lib/testing/fake/provider-auth-testing-options.js';
import { CATALOGUE } from '../../../support/application/built-in.js';
import { warehouse } from '../../../support/application/warehouse.js';

type Shown = Record<string, unknown> & { accounts: (account: string, pair: object) => unknown };

const optionsWith = (options: object): Shown => fakeOptions(CATALOGUE, options) as Shown;

const pair = (environment: string) => ({
  baseUrl: `https://originations.${environment}.invalid`,
  clientId: expect.stringMatching(new RegExp(`^originations-${environment}-`)),
  clientSecret: expect.any(Secret),
});

it('C1: the options of a test without a network are complete', () => {
  const { accounts, ...options } = optionsWith({});
  expect(options).toEqual({
    environment: 'sandbox',
    interfaces: {
      originations: {
        tokenUrl: 'https://login.originations.invalid/oauth/token',
        sandbox: pair('sandbox'),
        production: pair('production'),
      },
      easy: expect.objectContaining({ sandbox: expect.any(Object), production: expect.any(Object) }),
    },
    http: { transport: NO_NETWORK },
  });
  expect(accounts('merchant-42', { interface: 'easy', environment: 'production' })).toEqual({
    clientId: expect.stringMatching(/^easy-production-/),
    clientSecret: expect.any(String),
  });
});

it.each([
  ['production', 'production'],
  [{ easy: 'production' }, { originations: 'sandbox', easy: 'production' }],
  [{ esay: 'production' }, { originations: 'sandbox', easy: 'sandbox', esay: 'production' }],
  [null, null],
  [5, 5],
])('C5: the environment %j of a test is %j in the options', (environment, passed) => {
  expect(optionsWith({ environment })['environment']).toEqual(passed);
});

it.each([
  [{ timeoutMs: 5 }, { timeoutMs: 5, transport: NO_NETWORK }],
  [{ transport: 'own' }, { transport: NO_NETWORK }],
  [null, null],
  [5, 5],
])('C4: the HTTP options %j of a test send nothing, and wrong ones are passed on', (http, passed) => {
  expect(optionsWith({ http })['http']).toEqual(passed);
});

it('C4: other members are passed on, so that the module refuses them', () => {
  const wrong = { enviroment: 'production', accounts: 'none' };
  expect(optionsWith(wrong)).toMatchObject(wrong);
});

it('B24: the first environment of a definition is active', () => {
  const { catalogue } = requiredPartsOf(warehouse);
  expect(fakeOptions(catalogue, {})).toMatchObject({
    environment: 'test',
    interfaces: { stock: { live: { baseUrl: 'https://stock.live.warehouse.invalid' } } },
  });
});
