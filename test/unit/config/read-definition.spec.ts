import { describe, expect, it } from 'vitest';
import { SIGNING_ALGORITHMS } from '../../../lib/catalogue/catalogue.js';
import { PROVIDER_CATALOGUE } from '../../../lib/catalogue/provider-catalogue.js';
import { readDefinition } from '../../../lib/config/read-definition.js';
import { defineProvider, ProviderAuthConfigError } from '../../../lib/index.js';

const RIGHT = { name: 'bank', environments: ['test', 'live'], interfaces: { orders: {} } };

const TAKEN = 'is named like a member of the options or of every object. Choose another name.';
const TWINS = 'which give the same variables. Rename one of them.';
const NO_NAME =
  'must begin with a small letter and have only letters, digits, and single - or _ between them, at most 40 in all.';

const define = defineProvider as (definition: unknown) => unknown;

/** What is wrong with a definition. It is of any type, as a JavaScript file may contain it. */
function problemsOf(definition: unknown): string[] {
  try {
    define(definition);
  } catch (error) {
    if (!(error instanceof ProviderAuthConfigError)) throw error;
    return error.problems.map(({ path, message }) => `${path} ${message}`);
  }
  return [];
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
  ])('B24: is an error when it is made: %j', (changes, problem) => {
    expect(problemsOf(changes && { ...RIGHT, ...changes })).toContain(problem);
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
  ])('B24: is an error with the interface %j', (orders, problem) => {
    expect(problemsOf({ ...RIGHT, interfaces: { orders } })).toContain(`interfaces.orders.${problem}`);
  });

  it('B24: names all problems in one error, and the definition in its message', () => {
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

const TERMS = {
  grantType: 'account_credentials',
  params: { account_id: 'warehouse-7' },
  resource: ['https://a.example', 'urn:b'],
  expiresIn: 7_200,
  tokenTypes: ['BearerToken', 'Application Access Token'],
  tokenCharacters: 'visible',
  scheme: 'OAuth',
  refusedWith: [401, 403],
} as const;

/** What differs in each member. */
const OTHERS = {
  grantType: 'urn:example:grant',
  params: { tenant: 'b' },
  resource: 'https://c.example',
  expiresIn: 1,
  tokenTypes: 'any',
  tokenCharacters: 'bearer',
  scheme: 'Zoho-oauthtoken',
  refusedWith: [403],
} as const;

const withTerms = (definition: object, orders: object = {}) => ({
  name: 'terms',
  environments: ['test'],
  interfaces: { orders, stock: {} },
  ...definition,
});

const catalogueOf = (definition: object, orders?: object) => readDefinition(withTerms(definition, orders));

describe('the terms of a definition', () => {
  it.each(Object.keys(TERMS) as (keyof typeof TERMS)[])(
    'B31: %s of a definition holds for all its interfaces, and that of an interface replaces it as a whole',
    (member) => {
      const { entryOf } = catalogueOf({ [member]: TERMS[member] }, { [member]: OTHERS[member] });
      expect(entryOf('stock')[member]).toEqual(TERMS[member]);
      expect(entryOf('orders')[member]).toEqual(OTHERS[member]);
      expect(catalogueOf({}, { [member]: OTHERS[member] }).entryOf('stock')[member]).toBeUndefined();
    },
  );

  it('B31: cannot be changed after they were checked', () => {
    const tokenTypes = ['Bearer'];
    const params: Record<string, string> = { account_id: 'a' };
    const { entryOf } = catalogueOf({ tokenTypes, params });
    tokenTypes.push('');
    params['grant_type'] = 'password';
    expect(entryOf('orders')).toMatchObject({ tokenTypes: ['Bearer'], params: { account_id: 'a' } });
    expect(Object.isFrozen(entryOf('orders').params)).toBe(true);
    expect(Object.isFrozen(entryOf('orders').tokenTypes)).toBe(true);
  });

  it('B31: leave the built-in provider without any', () => {
    const members = Object.values(PROVIDER_CATALOGUE).flatMap((entry) => Object.keys(entry));
    expect(members.filter((member) => member in TERMS)).toEqual([]);
  });

  it('B31: empty params of an interface take away those of the definition', () => {
    expect(catalogueOf({ params: { a: 'b' } }, { params: {} }).entryOf('orders').params).toEqual({});
  });

  const FIELD = 'is a field that the module writes itself. Remove it.';
  it.each<[object, string]>([
    [{ grantType: '' }, 'grantType is empty. Set it.'],
    [{ grantType: 7 }, 'grantType must be a string, not a number.'],
    [{ params: 'a=b' }, 'params must be an object, not a string.'],
    [{ params: ['a'] }, 'params must be an object, not a list.'],
    [{ params: { a: '' } }, 'params.a is empty. Set it.'],
    [{ params: { a: 7 } }, 'params.a must be a string, not a number.'],
    [{ params: { '': 'a' } }, 'params.[not a name] is empty. Name the field.'],
    [{ params: { grant_type: 'a' } }, `params.grant_type ${FIELD}`],
    [{ params: { client_id: 'a' } }, `params.client_id ${FIELD}`],
    [{ params: { client_secret: 'a' } }, `params.client_secret ${FIELD}`],
    [{ params: { client_assertion: 'a' } }, `params.client_assertion ${FIELD}`],
    [{ params: { client_assertion_type: 'a' } }, `params.client_assertion_type ${FIELD}`],
    [{ params: { scope: undefined } }, `params.scope ${FIELD}`],
    [{ params: { audience: 'a' } }, `params.audience ${FIELD}`],
    [{ params: { resource: 'a' } }, `params.resource ${FIELD}`],
    [{ resource: [] }, 'resource must be a list with one value or more.'],
    [
      { resource: ['https://a.example', 'b'] },
      'resource must be an absolute URI without a fragment (RFC 8707).',
    ],
    [{ resource: ['https://a.example', ''] }, 'resource is empty. Set it.'],
    [{ expiresIn: 0 }, 'expiresIn must be a whole number, 1 or more.'],
    [{ expiresIn: '60' }, 'expiresIn must be a whole number, 1 or more.'],
    [{ tokenTypes: [] }, 'tokenTypes must be a list with one value or more.'],
    [{ tokenTypes: 'Bearer' }, 'tokenTypes must be a list with one value or more.'],
    [{ tokenTypes: [''] }, 'tokenTypes is empty. Set it.'],
    [{ tokenCharacters: 'any' }, 'tokenCharacters must be bearer or visible.'],
    [{ scheme: '' }, 'scheme is empty. Set it.'],
    [{ scheme: 'Bearer ' }, 'scheme has white space or a line break around it. Remove that.'],
    [{ scheme: 'My scheme' }, 'scheme must be one word, such as Bearer.'],
    [{ refusedWith: [] }, 'refusedWith must be [401], [403] or [401, 403].'],
    [{ refusedWith: 403 }, 'refusedWith must be [401], [403] or [401, 403].'],
    [{ refusedWith: [404] }, 'refusedWith must be [401], [403] or [401, 403].'],
    [{ refusedWith: ['401'] }, 'refusedWith must be [401], [403] or [401, 403].'],
  ])('B31: %j is refused in a definition, and in an interface', (terms, problem) => {
    expect(problemsOf(withTerms(terms))).toEqual([problem]);
    expect(problemsOf(withTerms({}, terms))).toEqual([`interfaces.orders.${problem}`]);
  });

  const signed = { clientAuth: 'private_key_jwt' } as const;

  it.each<[object, string]>([
    [{ audience: 'token' }, 'audience must be tokenUrl or issuer.'],
    [{ type: 'jwt' }, 'type must be JWT or client-authentication+jwt.'],
    [{ certificate: 'x5u' }, 'certificate must be x5t, x5t#S256 or x5c.'],
    [{ algorithm: 'HS256' }, `algorithm must be ${SIGNING_ALGORITHMS.join(' or ')}.`],
    [{ lifetimeSeconds: 9 }, 'lifetimeSeconds must be a whole number from 10 to 600.'],
    [{ lifetimeSeconds: 601 }, 'lifetimeSeconds must be a whole number from 10 to 600.'],
    [{ typ: 'JWT' }, 'typ is not a member of assertion. Did you mean type?'],
  ])('B31: assertion with %j is refused in a definition, and in an interface', (assertion, problem) => {
    expect(problemsOf(withTerms({ assertion }, signed))).toEqual([`assertion.${problem}`]);
    expect(problemsOf(withTerms({}, { ...signed, assertion }))).toEqual([
      `interfaces.orders.assertion.${problem}`,
    ]);
  });

  it('B31: assertion of an interface replaces that of the definition as a whole', () => {
    const assertion = { audience: 'issuer', certificate: 'x5c', lifetimeSeconds: 60 } as const;
    const standard = { audience: 'tokenUrl', type: 'JWT', lifetimeSeconds: 300 };
    const ofOrders = (orders: object) =>
      catalogueOf({ assertion }, { ...signed, ...orders }).entryOf('orders');
    expect(ofOrders({}).assertion).toEqual({ ...standard, ...assertion });
    expect(ofOrders({ assertion: { algorithm: 'PS256' } }).assertion).toEqual({
      ...standard,
      algorithm: 'PS256',
    });
    expect(catalogueOf({}, signed).entryOf('orders').assertion).toEqual(standard);
    expect(catalogueOf({ assertion }, signed).entryOf('stock').assertion).toBeUndefined();
  });
});
