import type { IncomingMessage } from 'node:http';
import type { ClientAuth, InterfaceEntry } from '../../catalogue/catalogue.js';
import { GRANT_TYPE, TOKEN_REQUEST_CONTENT_TYPE, TOKEN_REQUEST_METHOD } from '../../catalogue/wire.js';
import { safely } from '../../values/safely.js';
import { json, type Answer } from './answer.js';
import type { ProviderSimulatorOptions } from './provider-simulator-options.js';

/** The answer that says what is wrong with a request. */
export interface Refused {
  readonly refusal: Answer;
  readonly reason: string;
}

const ENCODED = /^[!-~]*$/;

/** Many clients add this to the media type. The encoding of the form is UTF-8 anyway (RFC 6749 appendix B). */
const CHARSET = /^charset="?utf-8"?$/i;

/** A name of a form field as people choose it. Any other text may contain a secret. */
const FIELD_NAME = /^[\w.-]{1,40}$/;

const CLIENT_FIELDS: Readonly<Record<ClientAuth, readonly string[]>> = {
  post: ['client_id', 'client_secret'],
  basic: [],
  private_key_jwt: ['client_id', 'client_assertion_type', 'client_assertion'],
  client_assertion: ['client_assertion_type', 'client_assertion'],
  tls_client_auth: ['client_id'],
};

/** RFC 6749 section 5.2, and RFC 8707 section 2. */
const ERROR_OF_TERM: Readonly<Record<string, string>> = {
  scope: 'invalid_scope',
  audience: 'invalid_target',
  resource: 'invalid_target',
};

/** The fields with fixed values. A field may have several values (RFC 8707). */
type Terms = ReadonlyMap<string, readonly string[]>;

function termsOf({ scope, audience, resource, params }: InterfaceEntry): Terms {
  const fields = Object.entries({ scope, audience, resource, ...params });
  return new Map(fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, [value].flat()]])));
}

/** The definition of the interface, with the granted terms that the request asks for. */
export function entryOfRequest(
  form: URLSearchParams,
  entry: InterfaceEntry,
  grants: ProviderSimulatorOptions['grants'] = [],
): InterfaceEntry {
  // A member that is `undefined` is that of the definition, as one that is absent.
  const entries = grants.map((terms) => ({
    ...entry,
    ...Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined)),
  }));
  return entries.find((one) => wrongTerm(form, termsOf(one)) === undefined) ?? entry;
}

function wrongTerm(form: URLSearchParams, terms: Terms): string | undefined {
  return [...terms].find(([name, values]) => form.getAll(name).join() !== values.join())?.[0];
}

/**
 * What is wrong with a token request, apart from its credentials.
 *
 * @param entry the definition of the interface: how the client authenticates, and which fields it sends.
 */
export function checkTokenRequest(
  { method, url = '', headers }: IncomingMessage,
  body: Buffer,
  form: URLSearchParams,
  entry: InterfaceEntry,
): Refused | undefined {
  const { clientAuth = 'post' } = entry;
  const terms = termsOf(entry);
  // Each of them once, and no others.
  const fields = ['grant_type', ...CLIENT_FIELDS[clientAuth], ...terms.keys()];
  if (method !== TOKEN_REQUEST_METHOD)
    return refuse('the method must be POST', undefined, 405, { allow: TOKEN_REQUEST_METHOD });
  if (!isForm(headers['content-type']))
    return refuse(`the content type must be ${TOKEN_REQUEST_CONTENT_TYPE}`);
  const query = new URL(url, 'https://localhost').searchParams;
  if (fields.some((field) => query.has(field)))
    return refuse('the fields belong in the body, not in the URL');

  if (!isEncoded(body)) return refuse('the body is not a form in percent-encoded UTF-8');
  const names = [...form.keys()];
  if (names.some((name) => form.getAll(name).length > (terms.get(name)?.length ?? 1)))
    return refuse('a field is repeated');
  const grant = form.get('grant_type');
  if (grant && grant !== (entry.grantType ?? GRANT_TYPE))
    return refuse('unsupported grant type', 'unsupported_grant_type');
  const isOptional = (name: string): boolean => name === 'client_id' && clientAuth === 'client_assertion';
  const additional = names.find((name) => !fields.includes(name) && !isOptional(name));
  if (additional !== undefined)
    return refuse(`unsupported field ${FIELD_NAME.test(additional) ? additional : ''}`.trimEnd());

  // RFC 6749 section 5.2: two mechanisms are a malformed request, a wrong mechanism is a failed authentication.
  if (headers.authorization !== undefined && clientAuth !== 'basic')
    return form.get('client_secret')
      ? refuse('the client authenticates in more than one way')
      : invalidClient('credentials in the Authorization header');
  // RFC 6749 section 3.2: a field without a value counts as missing.
  const missing = fields.filter((field) => !form.get(field));
  if (missing.length > 0) return refuse(`missing ${missing.join(', ')}`);
  const wrong = wrongTerm(form, terms);
  return wrong === undefined
    ? undefined
    : refuse(`${wrong} must be as the provider demands`, ERROR_OF_TERM[wrong]);
}

/** RFC 9110 section 15.5.2 demands a challenge in each 401. Basic is the nearest registered scheme. */
export function invalidClient(reason: string): Refused {
  const headers = { 'www-authenticate': 'Basic realm="token", charset="UTF-8"' };
  return refuse(reason, 'invalid_client', 401, headers);
}

/** RFC 6749 section 5.2. */
function refuse(reason: string, error = 'invalid_request', status = 400, headers: object = {}): Refused {
  const body = { error, error_description: `${reason}.` };
  return { reason, refusal: json(status, body, { pragma: 'no-cache', ...headers }) };
}

function isForm(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim());
  return type.toLowerCase() === TOKEN_REQUEST_CONTENT_TYPE && parameters.every((one) => CHARSET.test(one));
}

/** Whether all of the body is percent-encoded UTF-8. */
function isEncoded(body: Buffer): boolean {
  const text = body.toString('latin1');
  return ENCODED.test(text) && safely(() => decodeURIComponent(text), undefined) !== undefined;
}
