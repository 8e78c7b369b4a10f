import type { Exchange } from '../../../../lib/testing/index.js';
import type { Prepared, Scenario } from './scenario.js';
import type { TestEnvironment } from './test-environment.js';
import { drip } from '../../../support/http/endless-answers.js';

/** Gives the body with which a careless server repeats the form of a token request. */
type Echo = (form: Form) => object | string;
interface Form {
  readonly raw: string;
  readonly id: string;
  readonly secret: string;
}

const IMPATIENT: Prepared = { token: { timeoutMs: 300 } };
const BEARER = { access_token: 'a', token_type: 'Bearer' };

/** The ways in which a token request fails, and in which a token endpoint repeats the request. */
export const TOKEN_SCENARIOS: readonly Scenario[] = [
  failing('401 invalid_client', ({ token }) => token.refuse('invalid_client')),
  failing('400 invalid_request', ({ token }) => token.refuse('invalid_request')),
  failing('403 without a body', ({ token }) => token.status(403)),
  failing('500', ({ token }) => token.status(500)),
  failing('503 with Retry-After', ({ token }) => token.retryAfter(60)),
  failing('307 to another server', ({ token }) => token.redirect('https://127.0.0.1:1/', 307)),
  failing('no response', ({ token }) => token.hang(), IMPATIENT),
  failing(
    'a body that does not come',
    ({ token }) => token.status(400, { headers: { 'content-length': 9 } }),
    IMPATIENT,
  ),
  failing('reset', ({ token }) => token.reset()),
  failing('half a body', ({ token }) => token.hangUp('mid-body')),
  failing('not HTTP', ({ token }) => token.garbage()),
  failing('bad gzip', ({ token }) =>
    token.status(500, { headers: { 'content-encoding': 'gzip' }, body: 'no' }),
  ),
  failing('broken framing that repeats the form', ({ token }) =>
    token.handler(({ socket }, _, exchange) => {
      socket.end(`HTTP/1.1 200 OK\r\nX-Form: ${formOf(exchange).raw}\r\n\0${formOf(exchange).raw}`);
    }),
  ),
  unreachable('ECONNREFUSED', ({ deadUrl }) => deadUrl),
  unreachable('ENOTFOUND', ({ unknownUrl }) => unknownUrl),
  unreachable('TLS self-signed', ({ untrusted }) => untrusted.origin),
  unreachable('TLS to a plain port', ({ plainUrl }) => plainUrl),
  echoing('the secret as error', ({ secret }) => ({ error: secret })),
  echoing('the id as error', ({ id }) => ({ error: id })),
  echoing('a piece of the secret as error', ({ secret }) => ({ error: secret.slice(0, 18) })),
  echoing('Basic credentials as error', ({ id, secret }) => ({
    error: Buffer.from(`${id}:${secret}`).toString('base64url'),
  })),
  echoing('the form in error_description', ({ raw }) => ({
    error: 'invalid_client',
    error_description: raw,
  })),
  echoing('the secret in error_uri', ({ secret }) => ({ error: 'invalid_client', error_uri: secret })),
  echoing('the form as whole body', ({ raw }) => raw),
  echoing('the form as whole body of a 500', ({ raw }) => raw, 500),
  echoing('the secret as an HTML page', ({ secret }) => `<pre>${secret}</pre>`, 403),
  echoing('the form and its fields, in JSON', (form) => ({ error: form, form }), 401),
];

/**
 * Responses with status 200 that contain no token. A plain client sees a success and leaks the response. Our client
 * refuses these responses and shows nothing of them.
 */
export const FALSE_SUCCESS_SCENARIOS: readonly Scenario[] = [
  echoing('200 with the form as body', ({ raw }) => raw, 200),
  echoing('200 with the secret as error', ({ secret }) => ({ error: secret }), 200),
  echoing(
    '200 with the secret as token_type',
    ({ secret }) => ({ access_token: 'a', token_type: secret }),
    200,
  ),
  echoing('200 with the secret as expires_in', ({ secret }) => ({ ...BEARER, expires_in: secret }), 200),
  failing('200 with a malformed token', ({ token }) => token.members({ access_token: 'two words' })),
  failing('200 with the token type DPoP', ({ token }) => token.members({ token_type: 'DPoP' })),
  failing('200 without an end', ({ token }) => token.handler(drip()), IMPATIENT),
  failing('200 with truncated JSON', ({ token }) => token.body((regular) => regular.slice(0, -3))),
  failing('200 that is too large', ({ token }) => token.body((regular) => regular + ' '.repeat(70_000))),
  failing('200 with half its body', ({ token }) => token.reset('mid-body')),
];

function failing(
  name: string,
  script: (provider: TestEnvironment['provider']) => unknown,
  prepared: Prepared = {},
): Scenario {
  return {
    name,
    prepare({ provider }) {
      script(provider);
      return prepared;
    },
  };
}

function unreachable(name: string, url: (testEnvironment: TestEnvironment) => string): Scenario {
  return {
    name,
    prepare: (testEnvironment) => ({
      tokenUrl: `${new URL(url(testEnvironment)).origin}/auth/v0/connect/token`,
    }),
  };
}

function echoing(what: string, echo: Echo, status = 400): Scenario {
  return failing(status === 400 ? `an echo: ${what}` : `an echo with ${status}: ${what}`, ({ token }) =>
    token.handler((_, response, exchange) => {
      const body = echo(formOf(exchange));
      const headers = { 'X-Form': encodeURIComponent(formOf(exchange).raw) };
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
    }),
  );
}

function formOf({ request, body }: Exchange): Form {
  const raw = body.toString();
  const form = new URLSearchParams(raw);
  const inHeader = request.headers.authorization?.slice('Basic '.length) ?? '';
  const secret = form.get('client_secret') ?? form.get('client_assertion')?.split('.').at(-1) ?? inHeader;
  return { raw, id: form.get('client_id') ?? '', secret };
}
