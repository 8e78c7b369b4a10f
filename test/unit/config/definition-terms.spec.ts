import { describe, expect, it } from 'vitest';
import { SIGNING_ALGORITHMS } from '../../../lib/catalogue/catalogue.js';
import { PROVIDER_CATALOGUE } from '../../../lib/catalogue/provider-catalogue.js';
import { readDefinition } from '../../../lib/config/read-definition.js';
import { ProviderAuthConfigError } from '../../../lib/index.js';

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

function catalogueOf(definition: object, orders: object = {}) {
  return readDefinition({
    name: 'terms',
    environments: ['test'],
    interfaces: { orders, stock: {} },
    ...definition,
  });
}

/** The problems of a definition with these members, as a JavaScript file may contain them. */
function problemsOf(definition: object, orders: object = {}): string[] {
  try {
    catalogueOf(definition, orders);
  } catch (error) {
    if (error instanceof ProviderAuthConfigError)
      return error.problems.map(({ path, message }) => `${path} ${message}`);
    throw error;
  }
  return [];
}

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
    expect(problemsOf(terms)).toEqual([problem]);
    expect(problemsOf({}, terms)).toEqual([`interfaces.orders.${problem}`]);
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
    expect(problemsOf({ assertion }, signed)).toEqual([`assertion.${problem}`]);
    expect(problemsOf({}, { ...signed, assertion })).toEqual([`interfaces.orders.assertion.${problem}`]);
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
