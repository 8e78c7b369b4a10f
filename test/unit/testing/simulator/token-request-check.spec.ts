import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { InterfaceEntry } from '../../../../lib/catalogue/catalogue.js';
import { ASSERTION_TYPE } from '../../../../lib/catalogue/wire.js';
import {
  checkTokenRequest,
  entryOfRequest,
  type GrantedTerms,
  invalidClient,
} from '../../../../lib/testing/simulator/token-request-check.js';
import { jwtOf } from '../../../support/application/doctor-check.js';

const ENTRY: InterfaceEntry = { tokenUrlPer: 'environment', tokenPathExample: '/token' };
const FORM = { grant_type: 'client_credentials', client_id: 'canary-id', client_secret: 'canary-secret' };
const CLIENT = { client: { clientId: 'canary-id', clientSecret: 'canary-secret' } };
const CONTENT_TYPE = 'application/x-www-form-urlencoded';

interface Changed {
  readonly method?: string;
  readonly url?: string | undefined;
  readonly type?: string | undefined;
  readonly headers?: object;
  readonly entry?: Partial<InterfaceEntry>;
}

const encoded = (fields: object): string => new URLSearchParams(Object.entries(fields)).toString();

/** What the check says about this body, in a request that is right but for these changes. */
function check(body: string, { method = 'POST', headers, entry, ...changed }: Changed = {}) {
  const type = 'type' in changed ? changed.type : CONTENT_TYPE;
  const url = 'url' in changed ? changed.url : '/easy/token';
  const request = { method, url, headers: { 'content-type': type, ...headers } };
  return checkTokenRequest(request as object as IncomingMessage, Buffer.from(body), { ...ENTRY, ...entry });
}

/** A refusal with everything that it contains. */
const refused = (
  description: string,
  reason: string,
  error = 'invalid_request',
  status = 400,
  more = {},
) => ({
  reason,
  refusal: {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache', ...more },
    body: JSON.stringify({ error, error_description: description }),
  },
});

const refusedClient = (reason: string) =>
  refused('The credentials are not valid here.', reason, 'invalid_client', 401, {
    'www-authenticate': 'Basic realm="token", charset="UTF-8"',
  });

describe('the check of a token request', () => {
  it('S2: accepts the fields of the document in any order', () => {
    expect(check(encoded(FORM))).toEqual(CLIENT);
    expect(check(encoded(Object.fromEntries(Object.entries(FORM).toReversed())))).toEqual(CLIENT);
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'post'])('S1: refuses the method %s', (method) => {
    expect(check(encoded(FORM), { method })).toEqual(
      refused('The method must be POST.', 'the method must be POST', 'invalid_request', 405, {
        allow: 'POST',
      }),
    );
  });

  it.each([
    undefined,
    '',
    'application/json',
    'multipart/form-data; boundary=x',
    `${CONTENT_TYPE}-not`,
    `text/plain; ${CONTENT_TYPE}`,
    `${CONTENT_TYPE}; charset=latin1`,
    `${CONTENT_TYPE}; charset=utf-8; boundary=x`,
    `${CONTENT_TYPE}; x-charset=utf-8`,
    `${CONTENT_TYPE}; charset=utf-80`,
    `${CONTENT_TYPE};`,
  ])('S2: refuses the content type %j', (type) => {
    const text = `content type must be ${CONTENT_TYPE}`;
    expect(check(encoded(FORM), { type })).toEqual(refused(`The ${text}.`, `the ${text}`));
  });

  it.each([
    CONTENT_TYPE.toUpperCase(),
    `${CONTENT_TYPE};charset=UTF-8`,
    `${CONTENT_TYPE} ; Charset=utf-8`,
    `${CONTENT_TYPE}; charset="utf-8"`,
  ])('S2: accepts the content type %s', (type) => {
    expect(check(encoded(FORM), { type })).toEqual(CLIENT);
  });

  it.each(['grant_type', 'client_id', 'client_secret'])('S2: refuses %s in the URL', (field) => {
    expect(check(encoded(FORM), { url: `/token?tenant=7&${field}=` })).toEqual(
      refused(
        'The fields belong in the body, not in the URL.',
        'the fields belong in the body, not in the URL',
      ),
    );
  });

  it.each(['/token?tenant=7', undefined])('S2: accepts the URL %s', (url) => {
    expect(check(encoded(FORM), { url })).toEqual(CLIENT);
  });

  it.each(['%zz', '%e', '%ff', 'ü', ' ', '\n', '\u007f'])('S2: refuses the text %j in the body', (text) => {
    const reason = 'body is not a form in percent-encoded UTF-8';
    const answer = refused(`The ${reason}.`, `the ${reason}`);
    expect(check(encoded(FORM) + text)).toEqual(answer);
    expect(check(text + encoded(FORM))).toEqual(answer);
  });

  it.each(['grant_type', 'client_id', 'client_secret'])('S2: refuses a repeated %s', (field) => {
    expect(check(`${encoded(FORM)}&${field}=x`)).toEqual(
      refused('A field is repeated.', 'A field is repeated'),
    );
  });

  it('S2: refuses another grant', () => {
    expect(check(encoded({ ...FORM, grant_type: 'password' }))).toEqual(
      refused(
        'The grant type must be client_credentials.',
        'unsupported grant type',
        'unsupported_grant_type',
      ),
    );
  });

  it('B31: demands the grant of the definition', () => {
    const entry = { grantType: 'urn:example:grant' };
    expect(check(encoded({ ...FORM, grant_type: 'urn:example:grant' }), { entry })).toEqual(CLIENT);
    expect(check(encoded(FORM), { entry })).toEqual(
      refused(
        'The grant type must be urn:example:grant.',
        'unsupported grant type',
        'unsupported_grant_type',
      ),
    );
  });

  it.each([
    ['scope', 'unsupported field scope'],
    ['audience', 'unsupported field audience'],
    ['resource', 'unsupported field resource'],
    ['x-y.z_1', 'unsupported field x-y.z_1'],
    ['a'.repeat(40), `unsupported field ${'a'.repeat(40)}`],
    ['a'.repeat(41), 'unsupported field'],
    ['canary secret', 'unsupported field'],
    ['', 'unsupported field'],
    ['canary/secret', 'unsupported field'],
    ['__proto__', 'unsupported field __proto__'],
  ])('S2: refuses the field %j, and names it only if it has the form of a name', (field, reason) => {
    for (const value of ['x', '']) {
      const body = `${encoded(FORM)}&${encodeURIComponent(field)}=${value}`;
      expect(check(body)).toEqual(refused('There is an additional field.', reason));
    }
  });

  it('S2: refuses two ways to authenticate, and one that the definition does not have', () => {
    const headers = { authorization: 'Basic canary' };
    expect(check(encoded(FORM), { headers })).toEqual(
      refused(
        'The client authenticates in more than one way.',
        'the client authenticates in more than one way',
      ),
    );
    for (const body of ['grant_type=client_credentials', encoded({ ...FORM, client_secret: '' })])
      expect(check(body, { headers })).toEqual(refusedClient('credentials in the Authorization header'));
  });

  it.each([
    [['grant_type'], 'missing grant_type'],
    [['client_id'], 'missing client_id'],
    [['client_secret'], 'missing client_secret'],
    [['client_secret', 'client_id'], 'missing client_id, client_secret'],
  ])('S2: refuses a request without %j, or with an empty value', (fields, reason) => {
    const answer = refused('There must be grant_type, client_id, client_secret, each with a value.', reason);
    const others = Object.entries(FORM).filter(([name]) => !fields.includes(name));
    expect(check(encoded(Object.fromEntries(others)))).toEqual(answer);
    const empty = fields.map((name) => [name, ''] as const);
    expect(check(encoded({ ...FORM, ...Object.fromEntries(empty) }))).toEqual(answer);
  });

  it.each<[kind: InterfaceEntry['clientAuth'], form: object, reason: string]>([
    ['basic', {}, 'no valid credentials in the Authorization header'],
    [
      'private_key_jwt',
      { client_id: 'a', client_assertion_type: 'other', client_assertion: 'b' },
      'wrong client assertion',
    ],
    [
      'client_assertion',
      { client_assertion_type: ASSERTION_TYPE, client_assertion: 'b' },
      'wrong client assertion',
    ],
    ['tls_client_auth', { client_id: 'a' }, 'no client certificate'],
  ])('B31: refuses a request by %s that names no client', (clientAuth, form, reason) => {
    const body = encoded({ grant_type: 'client_credentials', ...form });
    expect(check(body, { entry: { clientAuth } })).toEqual(refusedClient(reason));
  });

  it('B31: accepts the credentials of a definition in the Authorization header', () => {
    const authorization = `Basic ${Buffer.from('canary-id:canary-secret').toString('base64')}`;
    expect(
      check('grant_type=client_credentials', { headers: { authorization }, entry: { clientAuth: 'basic' } }),
    ).toEqual(CLIENT);
  });

  it('B31: an assertion needs no client id, but may have one', () => {
    const assertion = jwtOf({ sub: 'canary-sub' });
    const form = {
      grant_type: 'client_credentials',
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: assertion,
    };
    const entry = { clientAuth: 'client_assertion' } as const;
    expect(check(encoded(form), { entry })).toEqual({ client: { clientId: 'canary-sub', assertion } });
    expect(check(encoded({ ...form, client_id: 'canary-id' }), { entry })).toEqual({
      client: { clientId: 'canary-id', assertion },
    });
    expect(check(encoded({ ...form, client_secret: 'canary' }), { entry })).toMatchObject({
      reason: 'unsupported field client_secret',
    });
    expect(check(encoded({ ...FORM, client_id: '' }), {})).toMatchObject({ reason: 'missing client_id' });
    const byHeader = { grant_type: 'client_credentials', client_id: 'canary-id' };
    expect(check(encoded(byHeader), { entry: { clientAuth: 'basic' } })).toMatchObject({
      reason: 'unsupported field client_id',
    });
  });

  it('B31: refuses an Authorization header in addition to an assertion', () => {
    const form = { grant_type: 'client_credentials', client_assertion_type: '', client_assertion: '' };
    const entry = { clientAuth: 'client_assertion' } as const;
    expect(check(encoded(form), { entry, headers: { authorization: 'canary' } })).toEqual(
      refusedClient('credentials in the Authorization header'),
    );
  });
});

const bodyWith = (changed: [string, string][]): string =>
  new URLSearchParams([...Object.entries(FORM), ...changed]).toString();

describe('the terms of a definition', () => {
  const entry = {
    scope: 'a b',
    audience: 'https://audience.example',
    resource: ['https://one.example', 'https://two.example'],
    params: { account_id: 'easy-7' },
  } as const;
  const terms: [string, string][] = [
    ['scope', entry.scope],
    ['audience', entry.audience],
    ...entry.resource.map((one): [string, string] => ['resource', one]),
    ['account_id', 'easy-7'],
  ];
  const without = (field: string): [string, string][] => terms.filter(([name]) => name !== field);

  const resources = (...values: string[]) =>
    bodyWith([...without('resource'), ...values.map((value): [string, string] => ['resource', value])]);

  it('B31: are accepted as they are, with each value of a list', () => {
    expect(check(bodyWith(terms), { entry })).toEqual(CLIENT);
  });

  it.each([
    ['scope', 'a', 'invalid_scope'],
    ['audience', 'https://other.example', 'invalid_target'],
    ['account_id', 'easy-8', 'invalid_request'],
    ['resource', 'https://one.example', 'invalid_target'],
  ])('B31: refuse another %s', (field, value, error) => {
    const text = `${field} must be as the provider demands`;
    expect(check(bodyWith([...without(field), [field, value]]), { entry })).toEqual(
      refused(`${text}.`, text, error),
    );
  });

  it('B31: have each value once, in the order of the definition', () => {
    const [one, two] = entry.resource;
    expect(check(resources(two, one), { entry })).toMatchObject({
      reason: 'resource must be as the provider demands',
    });
    expect(check(resources(one, two, two), { entry })).toMatchObject({ reason: 'A field is repeated' });
  });

  it('B31: are demanded, and belong in the body', () => {
    const names = 'grant_type, client_id, client_secret, scope, audience, resource, account_id';
    expect(check(encoded(FORM), { entry })).toEqual(
      refused(`There must be ${names}, each with a value.`, 'missing scope, audience, resource, account_id'),
    );
    expect(check(bodyWith(terms), { entry, url: '/token?account_id=easy-7' })).toMatchObject({
      reason: 'the fields belong in the body, not in the URL',
    });
  });
});

describe('the terms of a request', () => {
  const entry: InterfaceEntry = { ...ENTRY, scope: 'orders.read', audience: 'https://orders.example' };
  const of = (form: object, grants: readonly GrantedTerms[]) =>
    entryOfRequest(Buffer.from(encoded(form)), entry, grants);

  it('B24: are those of the definition if nothing else is granted, or something else is asked for', () => {
    const asked = { scope: 'orders.write', audience: entry.audience };
    expect(of(asked, [])).toBe(entry);
    expect(of({ ...asked, audience: 'https://other.example' }, [{ scope: 'orders.write' }])).toBe(entry);
    expect(of(asked, [{ scope: 'orders.none' }, { ...asked, audience: 'https://other.example' }])).toBe(
      entry,
    );
  });

  it('B24: are those of the first grant that has them, with the other members of the definition', () => {
    const asked = { scope: 'orders.write', audience: entry.audience };
    expect(of(asked, [{ scope: 'orders.none' }, { scope: 'orders.write' }])).toEqual({
      ...entry,
      scope: 'orders.write',
    });
    const other = { scope: 'orders.write', audience: 'https://other.example' };
    expect(of(other, [{ scope: 'orders.write' }, other])).toEqual({ ...entry, ...other });
  });

  it('B24: have the member of the definition if a grant lists it as undefined', () => {
    const grant = { scope: 'orders.write', audience: undefined } as object;
    expect(of({ scope: 'orders.write', audience: entry.audience }, [grant])).toEqual({
      ...entry,
      scope: 'orders.write',
    });
    expect(of({ scope: 'orders.write' }, [grant])).toBe(entry);
  });
});

it('S5: a refused client gets a challenge, with or without a reason', () => {
  expect(invalidClient('wrong client secret')).toEqual(refusedClient('wrong client secret'));
  expect(invalidClient()).toEqual(refusedClient('the credentials are not valid here'));
});
