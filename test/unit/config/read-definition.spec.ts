import { describe, expect, it } from 'vitest';
import { readDefinition } from '../../../lib/config/read-definition.js';
import { defineProvider, ProviderAuthConfigError } from '../../../lib/index.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const RIGHT = { name: 'bank', environments: ['test', 'live'], interfaces: { orders: {} } };

const TAKEN = 'is named like a member of the options or of every object. Choose another name.';
const TWINS = 'which give the same variables. Rename one of them.';
const NO_NAME =
  'must begin with a small letter and have only letters, digits, and single - or _ between them, at most 40 in all.';

/** What is wrong with a definition. It is of any type, as a JavaScript file may contain it. */
async function problemsOf(definition: unknown): Promise<string[]> {
  const define = defineProvider as (definition: unknown) => unknown;
  // oxlint-disable-next-line typescript/require-await
  const error = await errorOf((async () => define(definition))());
  expect(error).toBeInstanceOf(ProviderAuthConfigError);
  return (error as ProviderAuthConfigError).problems.map(({ path, message }) => `${path} ${message}`);
}

describe('B24: a wrong definition', () => {
  it.each<[object | undefined, string]>([
    [undefined, '(definition) must be an object, not undefined.'],
    [{ name: 'provider' }, 'name is the name of the built-in provider. Choose another name.'],
    [{ name: 'Bank' }, `name ${NO_NAME}`],
    [{ name: 'a b' }, `name ${NO_NAME}`],
    [{ name: 7 }, 'name must be a name.'],
    [{ name: '' }, 'name must be a name.'],
    [{ name: 'a'.repeat(41) }, `name ${NO_NAME}`],
    [{ name: 'a-' }, `name ${NO_NAME}`],
    [{ name: 'a--b' }, `name ${NO_NAME}`],
    [{ environments: ['test', 'Live'] }, `environments.1 ${NO_NAME}`],
    [{ environments: ['test', 7] }, 'environments.1 must be a name.'],
    [{ interfaces: { Orders: {} } }, `interfaces.Orders ${NO_NAME}`],
    [{ interfaces: { orders: undefined } }, 'interfaces.orders must be an object, not undefined.'],
    [{ interfaces: undefined }, 'interfaces must be an object with one interface or more.'],
    [
      { environments: ['live', 'test-live'], interfaces: { orders: {}, ordersTest: {} } },
      'interfaces gives the variable BANK_ORDERS_TEST_LIVE_BASE_URL to two settings. Rename an interface or an environment.',
    ],
    [
      { assertion: { certificate: 'x5t' } },
      'assertion is used only with clientAuth private_key_jwt, which no interface has. Set clientAuth, or remove assertion.',
    ],
    [
      { environments: [] },
      "environments must be a list of names with one name or more, such as ['test', 'live'].",
    ],
    [{ environments: ['test', 'test'] }, `environments has test and test, ${TWINS}`],
    [{ environments: ['tokenUrl'] }, `environments.0 ${TAKEN}`],
    [{ interfaces: {} }, 'interfaces must be an object with one interface or more.'],
    [
      { interfaces: { bankOrders: {}, bank_orders: {} } },
      `interfaces has bankOrders and bank_orders, ${TWINS}`,
    ],
    [{ interfaces: { clientId: {} } }, `interfaces.clientId ${TAKEN}`],
    [{ interfaces: { constructor: {} } }, `interfaces.constructor ${TAKEN}`],
    [
      { interfaces: { stock: {}, stockTest: {} } },
      'interfaces.stockTest gives the same variables as the environment test of stock. Rename one of them.',
    ],
    [
      { other: 1 },
      'other is not a member of a definition. Known here: name, environments, interfaces, grantType, params, assertion, resource, expiresIn, tokenTypes, tokenCharacters, scheme, refusedWith.',
    ],
  ])('B24: is an error when it is made: %j', async (changes, problem) => {
    expect(await problemsOf(changes && { ...RIGHT, ...changes })).toContain(problem);
  });

  it.each<[object, string]>([
    [
      { assertion: { certificate: 'x5t' } },
      'assertion is used only with clientAuth private_key_jwt. Remove one of them.',
    ],
    [{ scop: 'x' }, 'scop is not a member of a definition. Did you mean scope?'],
    [{ scope: '' }, 'scope is empty. Set it.'],
    [{ resource: 'orders' }, 'resource must be an absolute URI without a fragment (RFC 8707).'],
    [
      { clientAuth: 'none' },
      'clientAuth must be post or basic or private_key_jwt or client_assertion or tls_client_auth.',
    ],
    [{ tokenUrlPer: 'pair' }, 'tokenUrlPer must be environment or interface.'],
    [{ tokenPath: '/token' }, 'tokenPath must be a regular expression, not a string.'],
    [{ tokenPath: /\/token$/, tokenPathExample: '/x' }, 'tokenPathExample does not match tokenPath.'],
  ])('B24: is an error with the interface %j', async (orders, problem) => {
    expect(await problemsOf({ ...RIGHT, interfaces: { orders } })).toContain(`interfaces.orders.${problem}`);
  });

  it('B24: names all problems in one error, and the definition in its message', async () => {
    const define = defineProvider as (definition: unknown) => unknown;
    expect(() => define({ ...RIGHT, interfaces: { orders: { scope: 7, clientAuth: 'x' } } })).toThrow(
      /The configuration of bank \(nestjs-provider-auth\) has 2 problems:/,
    );
  });

  it.each([
    [{ ...RIGHT, environments: [] }, 'of bank '],
    [{ ...RIGHT, name: 'Bank' }, 'of defineProvider '],
    [undefined, 'of defineProvider '],
  ])('B24: its error names the definition if it has a name: %j', (definition, named) => {
    expect(() => readDefinition(definition)).toThrow(named);
  });

  it('B24: may be made twice in one process', () => {
    const define = defineProvider as (definition: unknown) => unknown;
    expect(() => [define(RIGHT), define(RIGHT)]).not.toThrow();
  });
});

describe('B24: a right definition', () => {
  it.each(['a', 'a1', 'bankOrders', 'bank-orders_2', 'a'.repeat(40)])('B24: may have the name %s', (name) => {
    expect(readDefinition({ ...RIGHT, name }).name).toBe(name);
  });

  it('B24: may have interfaces named like an option that stands elsewhere', () => {
    const interfaces = { accounts: {}, store: {}, token: {}, http: {} };
    expect(readDefinition({ ...RIGHT, interfaces }).interfaces).toEqual(Object.keys(interfaces));
  });

  it.each<[object, string | undefined, string]>([
    [{}, undefined, '/oauth2/token'],
    [{ tokenPathExample: '/login' }, undefined, '/login'],
    [{ tokenPath: /\/login$/ }, '/\\/login$/', '/login'],
    [{ tokenPath: /^\/v1\.0\/log-in$/ }, '/^\\/v1\\.0\\/log-in$/', '/v1.0/log-in'],
    [{ tokenPath: /login/ }, '/login/', '/login'],
    [{ tokenPath: /\/login$/gi }, '/\\/login$/i', '/login'],
    [{ tokenPath: /\/login$/y }, '/\\/login$/', '/login'],
    [{ tokenPath: /\/auth\/v\d+\/login$/ }, '/\\/auth\\/v\\d+\\/login$/', '/auth/v0/login'],
    [{ tokenPath: /\/[^/]+\/token\/?$/ }, '/\\/[^/]+\\/token\\/?$/', '/x/token'],
    [{ tokenPath: /\/[^/?#]+\/login$/ }, String.raw`/\/[^/?#]+\/login$/`, '/x/login'],
    [{ tokenPath: /\/(?:v1|v2)\/token$/ }, String.raw`/\/(?:v1|v2)\/token$/`, '/v1/token'],
    [{ tokenPath: /\/oauth2\/(v1\/)?token$/ }, String.raw`/\/oauth2\/(v1\/)?token$/`, '/oauth2/token'],
    [{ tokenPath: /\/token(\/)?$/ }, String.raw`/\/token(\/)?$/`, '/token'],
    [{ tokenPath: /\/[a-z0-9-]+\/token$/ }, String.raw`/\/[a-z0-9-]+\/token$/`, '/a/token'],
    [{ tokenPath: /\/v\d{1,2}\/token$/ }, String.raw`/\/v\d{1,2}\/token$/`, '/v0/token'],
    [{ tokenPath: /\/tenants\/[^/]*\/token$/ }, String.raw`/\/tenants\/[^/]*\/token$/`, '/tenants/x/token'],
    [{ tokenPath: /\/(?=tenant)\w+$/ }, String.raw`/\/(?=tenant)\w+$/`, String.raw`\/(?=tenant)\w+$`],
    [{ tokenPath: /\/v\d\/login$/, tokenPathExample: '/v2/login' }, '/\\/v\\d\\/login$/', '/v2/login'],
  ])('B24: %o has an ending of its token URL, and an example of it', (entry, pattern, example) => {
    const { tokenPath, tokenPathExample } = readDefinition({
      ...RIGHT,
      interfaces: { orders: entry },
    }).entryOf('orders');
    expect([tokenPath && String(tokenPath), tokenPathExample]).toEqual([pattern, example]);
  });
});
