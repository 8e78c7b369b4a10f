import { describe, expect, it } from 'vitest';
import { partsOf } from '../../../../lib/module/parts.js';
import { Addresses, pathOf } from '../../../../lib/testing/simulator/addresses.js';
import { CATALOGUE } from '../../../support/application/built-in.js';
import { EASY } from '../../../support/application/exchange-context.js';
import { warehouse } from '../../../support/application/warehouse.js';

const ORIGIN = 'https://127.0.0.1:4711';

describe('the addresses of the simulator', () => {
  const addresses = new Addresses(ORIGIN, CATALOGUE);
  const ofWarehouse = new Addresses(ORIGIN, partsOf(warehouse)!.catalogue);

  it('S4: have one token URL for each environment, or one for all environments', () => {
    expect(CATALOGUE.pairs.map((pair) => addresses.tokenUrl(pair))).toEqual([
      `${ORIGIN}/originations/oauth/token`,
      `${ORIGIN}/originations/oauth/token`,
      `${ORIGIN}/easy/sandbox/auth/v0/connect/token`,
      `${ORIGIN}/easy/production/auth/v0/connect/token`,
    ]);
  });

  it('S5: have a base URL and an issuer for each pair', () => {
    expect(addresses.baseUrl(EASY)).toBe(`${ORIGIN}/easy/sandbox/v1`);
    expect(addresses.issuer(EASY)).toBe(`${ORIGIN}/easy/sandbox/issuer`);
    expect(addresses.origin).toBe(ORIGIN);
  });

  it.each<[target: string, found: object | undefined]>([
    ['/originations/oauth/token', { kind: 'token', interface: 'originations' }],
    ['/originations/oauth/token?tenant=7', { kind: 'token', interface: 'originations' }],
    [
      '/easy/production/auth/v0/connect/token',
      { kind: 'token', interface: 'easy', environment: 'production' },
    ],
    ['/easy/sandbox/v1', { kind: 'api', ...EASY, path: '/' }],
    ['/easy/sandbox/v1/', { kind: 'api', ...EASY, path: '/' }],
    ['/easy/sandbox/v1?page=2', { kind: 'api', ...EASY, path: '/?page=2' }],
    ['/easy/sandbox/v1/payments/7?expand=all', { kind: 'api', ...EASY, path: '/payments/7?expand=all' }],
    ['/easy/sandbox/v1/.hidden', { kind: 'api', ...EASY, path: '/.hidden' }],
    ['/easy/sandbox/v1/a"b', { kind: 'api', ...EASY, path: '/a"b' }],
    ['/easy/sandbox/v1/./b', { kind: 'api', ...EASY, path: '/b' }],
    ['/easy/sandbox/v1/a/../b?c=d', { kind: 'api', ...EASY, path: '/b?c=d' }],
    ['/easy/production/v1/%2e%2e/%2E%2E/sandbox/v1/x', { kind: 'api', ...EASY, path: '/x' }],
    ['/easy/production/v1/..\\..\\sandbox/v1/x', { kind: 'api', ...EASY, path: '/x' }],
    ['/easy/sandbox/v1\\%2e%2E\\v1/x', { kind: 'api', ...EASY, path: '/x' }],
    ['https://proxy.example/easy/sandbox/v1/x?y=1', { kind: 'api', ...EASY, path: '/x?y=1' }],
    ['/easy/sandbox/v10', undefined],
    ['/easy/sandbox', undefined],
    ['/easy/staging/v1', undefined],
    ['/elsewhere', undefined],
    ['*', undefined],
    ['', undefined],
    ['http://[/easy/sandbox/v1', undefined],
  ])('S6: find what %s is', (target, found) => {
    expect(addresses.find(target)).toEqual(
      found === undefined || !('path' in found) ? found : { provider: 'provider', ...found },
    );
  });

  it('B24: follow from a definition', () => {
    const pair = { interface: 'bankOrders', environment: 'live' };
    expect([ofWarehouse.tokenUrl(pair), ofWarehouse.tokenUrl({ ...pair, interface: 'stock' })]).toEqual([
      `${ORIGIN}/bankOrders/oauth2/token`,
      `${ORIGIN}/stock/live/oauth2/token`,
    ]);
    expect(ofWarehouse.find('/bankOrders/oauth2/token')).toEqual({ kind: 'token', interface: 'bankOrders' });
  });
});

it.each([
  ['payments', '/payments'],
  ['/payments', '/payments'],
  ['', '/'],
  ['//payments', '//payments'],
])('a path under the base URL starts with one slash: %j', (text, path) => {
  expect(pathOf(text)).toBe(path);
});
