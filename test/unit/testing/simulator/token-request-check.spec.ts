import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import type { InterfaceEntry } from '../../../../lib/catalogue/catalogue.js';
import { ASSERTION_TYPE } from '../../../../lib/catalogue/wire.js';
import { checkTokenRequest, entryOfRequest } from '../../../../lib/testing/simulator/token-request-check.js';
import { jwtOf } from '../../../support/application/doctor-check.js';

const ENTRY: InterfaceEntry = { tokenUrlPer: 'environment', tokenPathExample: '/token' };
const CONTENT_TYPE = 'application/x-www-form-urlencoded';
const FORM = 'grant_type=client_credentials&client_id=canary-id&client_secret=canary-secret';

interface Sent {
  readonly body?: string;
  readonly method?: string;
  readonly url?: string | undefined;
  readonly type?: string | undefined;
  readonly authorization?: string;
  readonly entry?: Partial<InterfaceEntry>;
}

/** What the check says about a request that is right but for what is sent instead. */
function check({ body = FORM, method = 'POST', entry, authorization, ...sent }: Sent) {
  const type = 'type' in sent ? sent.type : CONTENT_TYPE;
  const url = 'url' in sent ? sent.url : '/easy/token';
  const headers = { 'content-type': type, ...(authorization !== undefined && { authorization }) };
  const request = { method, url, headers } as object as IncomingMessage;
  return checkTokenRequest(request, Buffer.from(body), new URLSearchParams(body), { ...ENTRY, ...entry });
}

const TERMS = {
  scope: 'a b',
  audience: 'https://audience.example',
  resource: ['https://one.example', 'https://two.example'],
  params: { account_id: 'easy-7' },
} as const;

/** A form with these terms, or others instead. */
function withTerms(changed: Record<string, string | readonly string[]> = {}): string {
  const { params, ...others } = TERMS;
  const fields = Object.entries({ ...others, ...params, ...changed });
  const pairs = fields.flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return `${FORM}&${new URLSearchParams(pairs).toString()}`;
}

const assertionWith = (more: string): string =>
  `grant_type=client_credentials&client_assertion_type=${encodeURIComponent(ASSERTION_TYPE)}&client_assertion=${more}`;
const ASSERTION = jwtOf({ sub: 'canary-sub' });

it.each<[what: string, sent: Sent]>([
  ['the fields of the document', {}],
  ['another order', { body: FORM.split('&').toReversed().join('&') }],
  ['a media type in capitals', { type: CONTENT_TYPE.toUpperCase() }],
  ['a charset in quotes', { type: `${CONTENT_TYPE};charset="UTF-8"` }],
  ['another field in the URL', { url: '/token?tenant=7' }],
  ['no URL', { url: undefined }],
  [
    'the grant of the definition',
    { body: FORM.replace('client_credentials', 'a'), entry: { grantType: 'a' } },
  ],
  ['the terms of the definition', { body: withTerms(), entry: TERMS }],
  [
    'credentials in the header',
    { body: 'grant_type=client_credentials', authorization: 'Basic canary', entry: { clientAuth: 'basic' } },
  ],
  ['an assertion', { body: assertionWith(ASSERTION), entry: { clientAuth: 'client_assertion' } }],
  [
    'an assertion with a client id',
    { body: assertionWith(`${ASSERTION}&client_id=canary-id`), entry: { clientAuth: 'client_assertion' } },
  ],
])('S1 S2 B31: a token request may have %s', (_, sent) => {
  expect(check(sent)).toBeUndefined();
});

const TYPE = `the content type must be ${CONTENT_TYPE}`;
const ENCODING = 'the body is not a form in percent-encoded UTF-8';
const IN_URL = 'the fields belong in the body, not in the URL';
const IN_HEADER = 'credentials in the Authorization header';

type Refusal = [sent: Sent, reason: string, error?: string, status?: number];

const REFUSED: readonly Refusal[] = [
  [{ method: 'GET' }, 'the method must be POST', 'invalid_request', 405],
  ...[
    undefined,
    'application/json',
    `${CONTENT_TYPE}-not`,
    `${CONTENT_TYPE}; charset=latin1`,
    `${CONTENT_TYPE}; charset=utf-8; boundary=x`,
  ].map((type): Refusal => [{ type }, TYPE]),
  [{ url: '/token?a=7&client_secret=' }, IN_URL],
  ...['%zz', '%ff', 'ü'].map((text): Refusal => [{ body: FORM + text }, ENCODING]),
  [{ body: `${FORM}&client_id=canary-id` }, 'a field is repeated'],
  [
    { body: FORM.replace('client_credentials', 'password') },
    'unsupported grant type',
    'unsupported_grant_type',
  ],
  [{ entry: { grantType: 'a' } }, 'unsupported grant type', 'unsupported_grant_type'],
  [{ body: `${FORM}&scope=` }, 'unsupported field scope'],
  // A field of another form may be a secret.
  [{ body: `${FORM}&${'a'.repeat(41)}=` }, 'unsupported field'],
  [{ authorization: 'Basic canary' }, 'the client authenticates in more than one way'],
  [
    { authorization: 'Basic canary', body: FORM.replace('canary-secret', '') },
    IN_HEADER,
    'invalid_client',
    401,
  ],
  [
    { body: assertionWith(ASSERTION), authorization: 'canary', entry: { clientAuth: 'client_assertion' } },
    IN_HEADER,
    'invalid_client',
    401,
  ],
  [{ body: FORM.replace('client_credentials', '') }, 'missing grant_type'],
  [{ body: 'grant_type=client_credentials&client_id=' }, 'missing client_id, client_secret'],
  [{ entry: TERMS }, 'missing scope, audience, resource, account_id'],
  [
    { body: withTerms({ scope: 'a' }), entry: TERMS },
    'scope must be as the provider demands',
    'invalid_scope',
  ],
  [
    { body: withTerms({ audience: 'x' }), entry: TERMS },
    'audience must be as the provider demands',
    'invalid_target',
  ],
  [{ body: withTerms({ account_id: 'x' }), entry: TERMS }, 'account_id must be as the provider demands'],
  ...[TERMS.resource.toReversed(), TERMS.resource.slice(1)].map((resource): Refusal => [
    { body: withTerms({ resource }), entry: TERMS },
    'resource must be as the provider demands',
    'invalid_target',
  ]),
  [{ body: withTerms({ resource: [...TERMS.resource, 'x'] }), entry: TERMS }, 'a field is repeated'],
  [{ body: withTerms(), entry: TERMS, url: '/token?account_id=easy-7' }, IN_URL],
];

it.each(REFUSED)(
  'S1 S2 B31: a token request %j is refused: %s',
  (sent, reason, error = 'invalid_request', status = 400) => {
    const got = check(sent);
    const { status: answered, headers = {}, body } = got?.refusal ?? {};
    expect([got?.reason, answered, JSON.parse(String(body))]).toEqual([
      reason,
      status,
      { error, error_description: expect.stringMatching(/\.$/) },
    ]);
    expect(headers['www-authenticate']).toBe(
      status === 401 ? 'Basic realm="token", charset="UTF-8"' : undefined,
    );
    expect(headers['allow']).toBe(status === 405 ? 'POST' : undefined);
  },
);

const OWN = { scope: 'orders.read', audience: 'https://orders.example' };
const WRITE = { scope: 'orders.write' };

it.each<[what: string, asked: object, grants: readonly object[], terms: object]>([
  ['of the definition, if nothing is granted', { ...OWN, ...WRITE }, [], OWN],
  ['of the definition, if something else is asked for', { ...WRITE, audience: 'x' }, [WRITE], OWN],
  ['of the first grant that has them', { ...OWN, ...WRITE }, [{ scope: 'x' }, WRITE], { ...OWN, ...WRITE }],
  [
    'of a grant of everything',
    { ...WRITE, audience: 'x' },
    [WRITE, { ...WRITE, audience: 'x' }],
    { ...WRITE, audience: 'x' },
  ],
  [
    'of a grant without a member',
    { ...OWN, ...WRITE },
    [{ ...WRITE, audience: undefined }],
    { ...OWN, ...WRITE },
  ],
])('B24: the terms of a request are those %s', (_, asked, grants, terms) => {
  const form = new URLSearchParams(Object.entries(asked));
  expect(entryOfRequest(form, { ...ENTRY, ...OWN }, grants as object[])).toEqual({
    ...ENTRY,
    ...terms,
  });
});
