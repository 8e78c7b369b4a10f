import { expect, it } from 'vitest';
import { requiredPartsOf } from '../../../../lib/testing/any-provider.js';
import { fakeAddresses } from '../../../../lib/testing/fake/fake-addresses.js';
import { CATALOGUE } from '../../../support/application/built-in.js';
import { warehouse } from '../../../support/application/warehouse.js';

it('C2: no address of a test without a network can exist', () => {
  const { baseUrl, issuer, tokenUrl } = fakeAddresses(CATALOGUE);
  const easy = { interface: 'easy', environment: 'sandbox' };
  expect([baseUrl(easy), issuer(easy), tokenUrl(easy)]).toEqual([
    'https://easy.sandbox.invalid',
    'https://issuer.easy.sandbox.invalid',
    'https://login.easy.sandbox.invalid/auth/v0/connect/token',
  ]);
  expect(tokenUrl({ ...easy, interface: 'originations' })).toBe(
    'https://login.originations.invalid/oauth/token',
  );
});

it('B24: the addresses of another provider have its name, in lower case', () => {
  const { baseUrl, issuer, tokenUrl } = fakeAddresses(requiredPartsOf(warehouse).catalogue);
  const orders = { interface: 'bankOrders', environment: 'live' };
  expect([baseUrl(orders), issuer(orders), tokenUrl(orders)]).toEqual([
    'https://bankorders.live.warehouse.invalid',
    'https://issuer.bankorders.live.warehouse.invalid',
    'https://login.bankorders.warehouse.invalid/oauth2/token',
  ]);
});
