import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { consult, type Diagnosis } from '../../support/application/doctor.js';
import { WireServer } from '../../support/http/wire-server.js';

const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

let server: WireServer;
/** What the server answers, by path. Any other path is a 404. */
let documents: Record<string, object | ((response: ServerResponse) => void)>;

beforeAll(async () => {
  server = await WireServer.start();
  server.handler = ({ url = '' }, response) => {
    const found = documents[url];
    if (typeof found === 'function') {
      found(response);
      return;
    }
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? {}));
  };
});

beforeEach(() => {
  documents = {};
  server.seen = [];
});

afterAll(() => server.close());

const metadata = (issuer: string, more: object = {}): object => ({
  issuer,
  token_endpoint: `${server.url}/oauth2/token`,
  token_endpoint_auth_methods_supported: ['none', 'private_key_jwt', 'client_secret_post', 'constructor'],
  token_endpoint_auth_signing_alg_values_supported: ['RS256', 'ES512', 'HS256'],
  ...more,
});

const authority = () => ({ ca: server.ca, env: () => ({}) });

const ask = (issuer: string, ...args: readonly string[]): Promise<Diagnosis> =>
  consult(authority(), { args: ['--issuer', issuer, ...args] });

describe('B31: provider-auth doctor --issuer', () => {
  it('B31: reads RFC 8414 metadata with its name before the path, and prints lines to copy', async () => {
    const issuer = `${server.url}/tenant/a`;
    documents[`${OAUTH}/tenant/a`] = metadata(issuer);
    const { code, stdout, output } = await consult(authority(), { args: ['--issuer', issuer] });
    expect(output).toBe(stdout);
    expect(stdout.split('\n')).toEqual([
      issuer,
      `  ✔ ${server.url}${OAUTH}/tenant/a describes this issuer`,
      '  Authentication methods: none, private_key_jwt, client_secret_post, constructor',
      '',
      'Use one of these lines in the definition:',
      "  clientAuth: 'private_key_jwt', // signed with RS256, ES512",
      "  clientAuth: 'client_assertion', // if the provider trusts the system that signs the assertion",
      "  clientAuth: 'post',",
      '',
      "The variables of each environment (ISSUER only with assertion: { audience: 'issuer' }):",
      `  <NAME>_<IFACE>_<ENV>_TOKEN_URL=${server.url}/oauth2/token`,
      `  <NAME>_<IFACE>_<ENV>_ISSUER=${issuer}`,
      '',
    ]);
    expect(code).toBe(0);
    expect(server.seen.map(({ method, url }) => [method, url])).toEqual([['GET', `${OAUTH}/tenant/a`]]);
  });

  it('B31: reads OpenID metadata where there is no other, and prints one JSON object', async () => {
    // Auth0 and others write their issuer with a slash at the end.
    const issuer = `${server.url}/tenant/`;
    documents[`/tenant${OPENID}`] = metadata(issuer, { token_endpoint_auth_methods_supported: undefined });
    const { code, stdout } = await ask(issuer, '--json');
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      issuer,
      documents: [
        { url: `${server.url}${OAUTH}/tenant`, ok: false, detail: 'answered with status 404' },
        { url: `${server.url}/tenant${OPENID}`, ok: true, detail: 'describes this issuer' },
      ],
      tokenUrl: `${server.url}/oauth2/token`,
      methods: ['client_secret_basic'],
      clientAuth: ['basic'],
      algorithms: ['RS256', 'ES512'],
      problems: [],
      definition: ["clientAuth: 'basic',"],
      variables: [`<NAME>_<IFACE>_<ENV>_TOKEN_URL=${server.url}/oauth2/token`],
    });
    expect(code).toBe(0);
  });

  it('B32: names the token URL for clients with a TLS certificate, if there is another one (RFC 8705)', async () => {
    const issuer = server.url;
    const methods = ['client_secret_basic', 'self_signed_tls_client_auth', 'tls_client_auth'];
    const withAlias = (token_endpoint: unknown): object =>
      metadata(issuer, {
        token_endpoint_auth_methods_supported: methods,
        mtls_endpoint_aliases: { token_endpoint },
      });
    documents[OAUTH] = withAlias('https://mtls.example/token');
    const { code, stdout } = await ask(issuer);
    expect(stdout).toContain(
      "\n  clientAuth: 'basic',\n  clientAuth: 'tls_client_auth', // with TOKEN_URL=https://mtls.example/token\n\n",
    );
    expect(stdout).toContain(`_TOKEN_URL=${server.url}/oauth2/token\n`);
    expect(code).toBe(0);
    const { stdout: json } = await ask(issuer, '--json');
    expect(JSON.parse(json)).toMatchObject({
      tokenUrl: `${server.url}/oauth2/token`,
      tlsTokenUrl: 'https://mtls.example/token',
    });
    for (const wrong of ['http://mtls.example/token', 'https://mtls.example/\u001b[2J', 7]) {
      documents[OAUTH] = withAlias(wrong);
      const { stdout: without } = await ask(issuer);
      expect(without).toContain("\n  clientAuth: 'tls_client_auth',\n\n");
    }
  });

  it.each<[string, (issuer: string) => object | ((response: ServerResponse) => void), string]>([
    ['another issuer', (issuer) => metadata(`${issuer}/`), 'does not name this issuer'],
    ['no issuer', () => metadata('x', { issuer: undefined }), 'does not name this issuer'],
    [
      'a token URL without https',
      (issuer) => metadata(issuer, { token_endpoint: 'http://a.example/t' }),
      'no token_endpoint',
    ],
    [
      'a token URL with a control character',
      (issuer) => metadata(issuer, { token_endpoint: 'https://a.example/\u001b[2J' }),
      'no token_endpoint',
    ],
    [
      'a redirect',
      () => (response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
      'answered with status 302',
    ],
    ['a page', () => (response) => void response.end('<html>'), 'is not a JSON object'],
    ['a list', () => [], 'is not a JSON object'],
    ['300 KiB', () => (response) => void response.end(' '.repeat(300 * 1024)), 'is larger than 256 KiB'],
    ['a broken connection', () => (response) => void response.destroy(), 'could not be read (ECONNRESET)'],
    ['an answer that never ends', () => (response) => void response.write('{'), 'did not answer in 10 s'],
  ])('B31: refuses %s, and says so', async (_, answer, words) => {
    const path = `/${encodeURIComponent(words)}`;
    const issuer = `${server.url}${path}`;
    documents[`${OAUTH}${path}`] = answer(issuer);
    const { code, stdout, output } = await ask(issuer);
    expect(stdout).toContain(`✘ ${server.url}${OAUTH}${path} `);
    expect(stdout).toContain(words);
    expect(output).not.toContain('TOKEN_URL');
    expect(output).not.toContain('\u001b[2J');
    expect(code).toBe(1);
  });

  it.each([
    [
      { grant_types_supported: ['authorization_code', '\u001b[2J'] },
      'The server does not list the grant type client_credentials. Ask the provider for it, or set grantType.',
    ],
    [
      { token_endpoint_auth_methods_supported: ['none', 'client_secret_jwt', '\u001b[2J'] },
      'The server lists no authentication method that this module supports.',
    ],
    [
      {
        token_endpoint_auth_methods_supported: ['private_key_jwt'],
        token_endpoint_auth_signing_alg_values_supported: ['HS256'],
      },
      'The server lists no authentication method that this module supports.',
    ],
  ])('B31: fails if the module cannot use what the server lists, and says why: %j', async (more, words) => {
    const issuer = server.url;
    documents[OAUTH] = metadata(issuer, more);
    const { code, stdout } = await ask(issuer);
    expect(stdout).toContain(`✘ ${words}\n`);
    expect(stdout).not.toContain('\u001b[2J');
    expect(stdout).toContain(`_TOKEN_URL=${server.url}/oauth2/token\n`);
    expect(code).toBe(1);
    expect(JSON.parse((await ask(issuer, '--json')).stdout)).toMatchObject({ ok: false, problems: [words] });
  });

  it('B32: knows that an assertion of another system is listed as private_key_jwt', async () => {
    documents[OAUTH] = metadata(server.url, { token_endpoint_auth_methods_supported: ['private_key_jwt'] });
    expect(JSON.parse((await ask(server.url, '--json')).stdout)).toMatchObject({
      ok: true,
      clientAuth: ['private_key_jwt', 'client_assertion'],
    });
  });

  it('B31: shows the methods as the server lists them, those that the module lacks, too', async () => {
    const methods = ['none', 'client_secret_jwt'];
    documents[OAUTH] = metadata(server.url, { token_endpoint_auth_methods_supported: methods });
    expect((await ask(server.url)).stdout).toContain('\n  Authentication methods: none, client_secret_jwt\n');
    expect(JSON.parse((await ask(server.url, '--json')).stdout)).toMatchObject({ methods, clientAuth: [] });
  });

  it('B31: takes a list with the grant type client_credentials', async () => {
    documents[OAUTH] = metadata(server.url, { grant_types_supported: ['implicit', 'client_credentials'] });
    expect((await ask(server.url)).code).toBe(0);
  });

  it('B31: trusts no unknown authority, whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
    const issuer = server.url;
    documents[OAUTH] = metadata(issuer);
    const env = { NODE_EXTRA_CA_CERTS: undefined, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const { code, stdout } = await consult({ ca: '', env: () => ({}) }, { args: ['--issuer', issuer], env });
    expect(stdout).toMatch(/could not be read \([A-Z_]+\)/);
    expect(code).toBe(1);
    expect(server.seen).toEqual([]);
  });

  it.each([
    ['http://a.example', [], '--issuer takes the https address of a provider. The address is not https.'],
    ['https://a.example/?x=1', [], 'contains a query'],
    ['https://user:pw@a.example', [], 'contains a user name or password'],
    ['https://a.example', ['--interface', 'easy'], 'cannot be used with'],
  ])('B31: cannot run with %s %j, and says why', async (issuer, args, words) => {
    const { code, output } = await ask(issuer, ...args);
    expect(output).toContain(words);
    expect(output).not.toContain('pw@');
    expect(code).toBe(2);
  });
});
