import { describe, expect, it } from 'vitest';
import {
  type AnyPair,
  createCatalogue,
  hasTlsClients,
  interfaceName,
  issuerOf,
  pairName,
  subjectOf,
} from '../../../lib/catalogue/catalogue.js';

const entry = { tokenUrlPer: 'environment', tokenPathExample: '/token' } as const;
const environments = ['test', 'live'];

const easy: AnyPair = { interface: 'easy', environment: 'sandbox' };
const stock: AnyPair = { provider: 'warehouse', interface: 'stock', environment: 'test' };

describe('B24: a provider as data', () => {
  it('has every pair of its interfaces and environments, in order', () => {
    const warehouse = createCatalogue('warehouse', environments, { stock: entry, orders: entry });
    expect(warehouse.pairs.map(pairName)).toEqual([
      'warehouse stock test',
      'warehouse stock live',
      'warehouse orders test',
      'warehouse orders live',
    ]);
  });

  it('cannot be changed by other code, not even by the lists that it was made of', () => {
    const given = [...environments];
    const warehouse = createCatalogue('warehouse', given, { stock: entry });
    given.push('evil');
    const { pairs, interfaces } = warehouse;
    expect(warehouse.environments).toEqual(environments);
    expect([warehouse, warehouse.environments, interfaces, pairs, ...pairs].every(Object.isFrozen)).toBe(
      true,
    );
  });

  it('B36: knows what its definition says about an interface, and nothing from a polluted prototype', () => {
    const warehouse = createCatalogue('warehouse', environments, { stock: { ...entry, scope: 'read' } });
    const known = warehouse.entryOf('stock');
    expect({ ...known }).toEqual({ ...entry, scope: 'read' });
    expect('toString' in known).toBe(false);
    expect(() => warehouse.entryOf('toString')).toThrow(
      new TypeError('The provider warehouse has no interface of this name.'),
    );
  });

  it('B32: has TLS clients if one of its interfaces has', () => {
    const ofTls = { ...entry, clientAuth: 'tls_client_auth' } as const;
    const ofKey = { ...entry, clientAuth: 'private_key_jwt' } as const;
    expect(hasTlsClients(createCatalogue('a', environments, { x: entry, y: ofTls }))).toBe(true);
    expect(hasTlsClients(createCatalogue('a', environments, { x: entry, y: ofKey }))).toBe(false);
  });
});

describe('B29: the name of a pair', () => {
  it.each([
    [easy, 'easy sandbox', 'easy', 'your account representative'],
    [{ ...easy, provider: 'provider' }, 'easy sandbox', 'easy', 'your account representative'],
    [stock, 'warehouse stock test', 'warehouse.stock', 'the provider'],
    [{ ...stock, account: 'a-17' }, 'warehouse stock test, account a-17', 'warehouse.stock', 'the provider'],
  ])('%j is %s', (pair, name, ofInterface, issuer) => {
    expect(pairName(pair)).toBe(name);
    expect(interfaceName(pair, '.')).toBe(ofInterface);
    expect(issuerOf(pair)).toBe(issuer);
  });

  it('B33: is in each event, with the account if there is one', () => {
    expect(subjectOf(easy)).toStrictEqual({ provider: 'provider', ...easy });
    expect(subjectOf({ ...stock, account: 'a-17' })).toStrictEqual({ ...stock, account: 'a-17' });
  });
});
