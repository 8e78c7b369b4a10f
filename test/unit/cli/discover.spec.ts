import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { discover } from '../../../lib/cli/discover.js';
import { CannotRun } from '../../../lib/cli/environment.js';
import { WrittenText } from '../../support/application/doctor-check.js';
import { givenEnvironment } from '../../support/http/proxy-variables.js';
import { trust } from '../../support/http/trusted-authority.js';
import { WireServer } from '../../support/http/wire-server.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';
const LARGEST = 256 * 1024;

let server: WireServer;
/** Ends the trust in the authority of the server. */
let distrust: () => void;
/** What the server answers, by path. Any other path is a 404. */
let documents: Record<string, object | string | ((response: ServerResponse) => void)>;

beforeAll(async () => {
  server = await WireServer.start();
  server.handler = ({ url = '' }, response) => {
    const found = documents[url];
    if (typeof found === 'function') found(response);
    else {
      response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(typeof found === 'string' ? found : JSON.stringify(found ?? {}));
    }
  };
});

beforeEach(() => {
  givenEnvironment();
  documents = {};
  server.seen = [];
  distrust = trust(server.ca);
  onTestFinished(distrust);
});

afterAll(() => server.close());

const metadata = (more: object = {}): object => ({
  issuer: server.url,
  token_endpoint: `${server.url}/oauth2/token`,
  token_endpoint_auth_methods_supported: ['none', 'private_key_jwt', 'client_secret_post', 'constructor'],
  ...more,
});

async function linesFor(issuer: string) {
  const output = new WrittenText();
  const code = await discover(issuer, false, output);
  return { code, lines: output.lines };
}

async function jsonFor(issuer = server.url) {
  const output = new WrittenText();
  const code = await discover(issuer, true, output);
  expect(output.text).toBe(`${JSON.stringify(JSON.parse(output.text), null, 2)}\n`);
  return { code, json: JSON.parse(output.text) };
}

const right = (detail = 'describes this issuer') => ({ url: `${server.url}${OAUTH}`, ok: true, detail });

describe('B31: the metadata of a provider', () => {
  it('B31: become lines', async () => {
    const issuer = `${server.url}/tenant/a`;
    documents[`${OAUTH}/tenant/a`] = metadata({ issuer });
    expect(await linesFor(issuer)).toEqual({
      code: 0,
      lines: [
        issuer,
        `  ✔ ${server.url}${OAUTH}/tenant/a describes this issuer`,
        `  token URL: ${server.url}/oauth2/token`,
        '  authentication methods: none, private_key_jwt, client_secret_post, constructor',
        '  clientAuth: private_key_jwt, client_assertion, post',
        '',
      ],
    });
    expect(server.seen.map(({ method, url, headers }) => [method, url, headers.accept])).toEqual([
      ['GET', `${OAUTH}/tenant/a`, 'application/json'],
    ]);
  });

  it('B31: are those of OpenID where there are no others, as one JSON object', async () => {
    // Auth0 and others write their issuer with a slash at the end.
    const issuer = `${server.url}/tenant/a/`;
    documents[`/tenant/a${OPENID}`] = metadata({ issuer, token_endpoint_auth_methods_supported: undefined });
    expect(await jsonFor(issuer)).toEqual({
      code: 0,
      json: {
        ok: true,
        issuer,
        documents: [
          { url: `${server.url}${OAUTH}/tenant/a`, ok: false, detail: 'answered with status 404' },
          { url: `${server.url}/tenant/a${OPENID}`, ok: true, detail: 'describes this issuer' },
        ],
        tokenUrl: `${server.url}/oauth2/token`,
        methods: ['client_secret_basic'],
        clientAuth: ['basic'],
        problems: [],
      },
    });
  });

  const NOT_THIS =
    'does not name this issuer. Compare the two addresses exactly, including a slash at the end';
  const NO_ENDPOINT = 'has no token_endpoint that is an https address';

  it.each<[string, () => object | string | ((response: ServerResponse) => void), string]>([
    ['another issuer', () => metadata({ issuer: `${server.url}/` }), NOT_THIS],
    ['no token URL', () => metadata({ token_endpoint: undefined }), NO_ENDPOINT],
    ['a token URL without https', () => metadata({ token_endpoint: 'http://a.example/t' }), NO_ENDPOINT],
    [
      'a token URL with a control character',
      () => metadata({ token_endpoint: 'https://a.example/\u001b[2J' }),
      NO_ENDPOINT,
    ],
    [
      'a redirect',
      () => (response) => void response.writeHead(302, { location: OPENID }).end(),
      'answered with status 302',
    ],
    ['a page', () => '<html>', 'is not a JSON object'],
    ['more than 256 KiB', () => ' '.repeat(LARGEST + 1), 'is larger than 256 KiB'],
    ['a broken connection', () => (response) => void response.destroy(), 'could not be read (ECONNRESET)'],
  ])('B31: are refused if there is %s', async (_, answer, detail) => {
    documents[OAUTH] = answer();
    expect(await jsonFor()).toEqual({
      code: 1,
      json: {
        ok: false,
        issuer: server.url,
        documents: [
          { url: `${server.url}${OAUTH}`, ok: false, detail },
          { url: `${server.url}${OPENID}`, ok: false, detail: 'answered with status 404' },
        ],
      },
    });
    expect(server.seen.map(({ url }) => url)).toEqual([OAUTH, OPENID]);
  });

  it('B31: may have 256 KiB', async () => {
    documents[OAUTH] = JSON.stringify(metadata()).padEnd(LARGEST);
    expect(await jsonFor()).toMatchObject({ code: 0, json: { documents: [right()] } });
  });

  it('B31: must come in time', async () => {
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const controller = new AbortController();
      for (const url of [OAUTH, OPENID]) documents[url] = () => controller.abort(ms);
      return controller.signal;
    });
    const { code, json } = await jsonFor();
    expect([code, json.documents[0].detail]).toEqual([1, 'did not answer within 10 s']);
  });

  it('S9: come from a server with a certificate that is trusted', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    documents[OAUTH] = metadata();
    distrust();
    const { code, json } = await jsonFor();
    expect([code, json.documents[0]]).toEqual([
      1,
      {
        url: `${server.url}${OAUTH}`,
        ok: false,
        detail: 'could not be read (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
      },
    ]);
    expect(server.seen).toEqual([]);
  });
});

describe('B31: what a provider lists', () => {
  const NO_METHOD = 'The server lists no authentication method that this module supports.';
  const NO_GRANT =
    'The server does not list the grant type client_credentials. Ask the provider for it, or set grantType.';

  it.each<[object, readonly string[], readonly string[]]>([
    [{ token_endpoint_auth_methods_supported: ['client_secret_post', 7] }, ['post'], []],
    [{ token_endpoint_auth_methods_supported: ['self_signed_tls_client_auth'] }, ['tls_client_auth'], []],
    [{ token_endpoint_auth_methods_supported: ['tls_client_auth'] }, ['tls_client_auth'], []],
    [{ token_endpoint_auth_methods_supported: ['none', 'client_secret_jwt'] }, [], [NO_METHOD]],
    [{ grant_types_supported: ['implicit'] }, ['private_key_jwt', 'client_assertion', 'post'], [NO_GRANT]],
    [
      { token_endpoint_auth_methods_supported: ['none'], grant_types_supported: [] },
      [],
      [NO_METHOD, NO_GRANT],
    ],
  ])('B31: is translated, with what cannot work: %j', async (more, clientAuth, problems) => {
    documents[OAUTH] = metadata(more);
    const { code, json } = await jsonFor();
    expect([code, json.ok, json.clientAuth, json.problems]).toEqual([
      problems.length === 0 ? 0 : 1,
      problems.length === 0,
      clientAuth,
      problems,
    ]);
  });

  it('B31: has colours on a terminal, with each document that was tried', async () => {
    documents[OPENID] = metadata({ token_endpoint_auth_methods_supported: ['none'] });
    const output = new WrittenText(true);
    expect(await discover(server.url, false, output)).toBe(1);
    expect(output.marked).toBe(`<1 ${server.url}>
  <31 ✘> ${server.url}${OAUTH} answered with status 404
  <32 ✔> ${server.url}${OPENID} describes this issuer
  token URL: ${server.url}/oauth2/token
  authentication methods: none
  <31 ✘> ${NO_METHOD}
`);
    documents = {};
    expect((await linesFor(server.url)).lines).toHaveLength(4);
  });

  it('S10: is made harmless for a terminal, and cut', async () => {
    const methods = ['client_secret_post', '\u001b[2J', 'x'.repeat(300)];
    documents[OAUTH] = metadata({ token_endpoint_auth_methods_supported: methods });
    const { json } = await jsonFor();
    expect(json.methods).toEqual(['client_secret_post', '\ufffd[2J', `${'x'.repeat(200)}…`]);
  });
});

it.each([
  ['', 'is empty. Write it in full, starting with https://.'],
  ['http://a.example', 'is not https. The provider answers over https only; use its https address.'],
  ['https://a.example/?x=1', 'contains a query (?…).'],
  [
    'https://a.example/t/.well-known/openid-configuration',
    'is that of its metadata. Leave out /.well-known/ and what follows.',
  ],
])('B31: an issuer must be the address of a provider: %s', async (issuer, flaw) => {
  const output = new WrittenText();
  const error = await errorOf(discover(issuer, false, output));
  expect(error).toBeInstanceOf(CannotRun);
  expect(error).toHaveProperty(
    'message',
    `--issuer takes the https address of a provider. The address ${flaw}`,
  );
  expect(output.text).toBe('');
});
