import type { IncomingMessage } from 'node:http';
import { GRANT_TYPE, TOKEN_REQUEST_CONTENT_TYPE, TOKEN_REQUEST_METHOD } from '../../catalogue/wire.js';
import { json, type Answer } from './answer.js';

/** The form fields that the provider's document demands: each of them once, and no others (S2). */
export const FIELDS = ['grant_type', 'client_id', 'client_secret'] as const;

export type TokenRequestFields = Readonly<Record<(typeof FIELDS)[number], string>>;

/** The fields of a correct request, or the answer that says what is wrong (S1, S2). */
export type Checked = { readonly fields: TokenRequestFields } | { readonly refusal: Answer };

/** The characters of a percent-encoded form. */
const ENCODED = /^[!-~]*$/;

/** Many clients add this to the media type. The encoding of the form is UTF-8 anyway (RFC 6749 appendix B). */
const CHARSET = /^charset="?utf-8"?$/i;

export function checkTokenRequest(request: IncomingMessage, body: Buffer): Checked {
  const { method, url = '', headers } = request;
  if (method !== TOKEN_REQUEST_METHOD) {
    return refuse('The method must be POST.', { status: 405, headers: { allow: TOKEN_REQUEST_METHOD } });
  }
  if (!isForm(headers['content-type']))
    return refuse(`The content type must be ${TOKEN_REQUEST_CONTENT_TYPE}.`);
  const query = new URL(url, 'https://localhost').searchParams;
  if (FIELDS.some((field) => query.has(field)))
    return refuse('The fields belong in the body, not in the URL.');

  const text = decoded(body);
  if (text === undefined) return refuse('The body is not a form in percent-encoded UTF-8.');
  const form = new URLSearchParams(text);
  const names = [...form.keys()];
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) return refuse('A field is repeated.');
  const grant = form.get('grant_type');
  if (grant && grant !== GRANT_TYPE)
    return refuse(`The grant type must be ${GRANT_TYPE}.`, { error: 'unsupported_grant_type' });
  if (names.some((name) => !(FIELDS as readonly string[]).includes(name)))
    return refuse('There is an additional field.');

  const id = form.get('client_id');
  const secret = form.get('client_secret');
  if (headers.authorization !== undefined) {
    // RFC 6749 section 5.2: two mechanisms are a malformed request, a wrong mechanism is a failed authentication.
    return secret ? refuse('The client authenticates in more than one way.') : invalidClient();
  }
  // RFC 6749 section 3.2: a field without a value counts as missing.
  if (!grant || !id || !secret) return refuse(`There must be ${FIELDS.join(', ')}, each with a value.`);
  return { fields: { grant_type: grant, client_id: id, client_secret: secret } };
}

interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** RFC 6749 section 5.2. RFC 9110 section 15.5.2 demands a challenge in each 401. Basic is the nearest registered scheme. */
export function invalidClient(): { readonly refusal: Answer } {
  return refuse('The credentials are not valid here.', {
    status: 401,
    error: 'invalid_client',
    headers: { 'www-authenticate': 'Basic realm="token", charset="UTF-8"' },
  });
}

function refuse(
  description: string,
  { status = 400, error = 'invalid_request', headers }: Partial<Refusal> = {},
): { readonly refusal: Answer } {
  return {
    refusal: json(status, { error, error_description: description }, { pragma: 'no-cache', ...headers }),
  };
}

function isForm(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim());
  return type.toLowerCase() === TOKEN_REQUEST_CONTENT_TYPE && parameters.every((one) => CHARSET.test(one));
}

/** The body as text, if all of it is percent-encoded UTF-8 (S2). */
function decoded(body: Buffer): string | undefined {
  const text = body.toString('latin1');
  if (!ENCODED.test(text)) return undefined;
  try {
    decodeURIComponent(text);
    return text;
  } catch {
    return undefined;
  }
}
