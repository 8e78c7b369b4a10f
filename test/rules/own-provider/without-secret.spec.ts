import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DynamicModule } from '@nestjs/common';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type ProviderTransport, type TokenProvider, TokenRequestError } from '../../../lib/index.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { issueServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';
import { consult } from '../../support/application/doctor.js';
import { setVariables } from '../../support/application/variables.js';
import { cluster } from '../../support/application/warehouse.js';
import { byName, ConnectProxy } from '../../support/http/connect-proxy.js';
import { filesOf } from '../../support/http/client-certificates.js';
import { signedAssertion } from '../../support/secrets/signed-assertion.js';
import { ROOT } from '../../support/package/packed-package.js';
import { runSource } from '../../support/run/run-source.js';
import { errorOf } from '../../support/token/token-fixtures.js';
import { bootWith } from '../../support/application/boot.js';
import { eventsOf } from '../../support/token/events.js';

async function appWith(...imports: DynamicModule[]) {
  const { app, logs } = await bootWith(imports);
  const tokens = (name: 'orders' | 'stock', environment?: 'test' | 'live') =>
    app.get<TokenProvider<string, string>>(cluster.tokenProviderToken(name, environment));
  return { app, logs, tokens };
}

const simulated = await ProviderSimulator.start({ provider: cluster });
afterEach(() => simulated.reset());
afterAll(() => simulated.close());

/** One call for each environment of the interface with a certificate. */
const THROUGH_PROXY = `
  import { NestFactory } from '@nestjs/core';
  import { cluster } from './test/support/application/warehouse.ts';

  const app = await NestFactory.createApplicationContext(cluster.Module.forRoot(cluster.config()), { logger: false });
  for (const environment of ['test', 'live']) {
    const { axiosRef } = app.get(cluster.httpToken('stock', environment));
    console.log((await axiosRef.get('/items')).status);
  }
  await app.close();
`;

const BUILT_LIBRARY = pathToFileURL(join(ROOT, 'dist/esm/index.js')).href;
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The options of the interface `orders` with these credentials. */
function ordersOptions(credentials: object): never {
  const { tokenUrl, baseUrl, tls } = simulated.options().interfaces.orders?.test ?? {};
  const test = { tokenUrl, baseUrl, tls, ...credentials };
  // As a JavaScript file would: another spec tests the types.
  return { environment: 'test', interfaces: { orders: { test } }, token: { maxAttempts: 1 } } as never;
}

const textOf = (error: unknown): string => String(error).replaceAll(/ +/g, ' ');

describe('B32: client_assertion', () => {
  it('B32: sends the assertion and its type, and the client id only if there is one', async () => {
    const { clientId, clientAssertion } = simulated.credentials('orders', 'test');
    for (const credentials of [{ clientAssertion }, { clientAssertion, clientId }]) {
      const { tokens } = await appWith(cluster.Module.forRoot(ordersOptions(credentials)));
      await tokens('orders').getToken();
    }
    const fields = simulated.tokenRequests.map((request) => request.fields);
    const expected = {
      grant_type: 'client_credentials',
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: clientAssertion,
      scope: 'orders.read',
    };
    expect(fields).toEqual([expected, { ...expected, client_id: clientId }]);
    expect(simulated.tokenRequests.map(({ environment }) => environment)).toEqual(['test', 'test']);
  });

  it('B32: reads the file of the variable for each token request, and needs no other credential', async () => {
    const variables = simulated.env();
    const names = Object.keys(variables).filter((name) => name.startsWith('CLUSTER_ORDERS_TEST_'));
    expect(names.toSorted()).toEqual(
      ['BASE_URL', 'CLIENT_ASSERTION_FILE', 'TOKEN_URL'].map((name) => `CLUSTER_ORDERS_TEST_${name}`),
    );
    const { ca } = filesOf({ ca: simulated.ca });
    setVariables({ ...variables, CLUSTER_ORDERS_TEST_CA_FILE: ca });
    const { tokens } = await appWith(cluster.Module.forRootAsync(cluster.config.asProvider()));
    const first = await tokens('orders').getToken();
    const renewed = await signedAssertion({ sub: simulated.credentials('orders', 'test').clientId });
    writeFileSync(variables['CLUSTER_ORDERS_TEST_CLIENT_ASSERTION_FILE'] ?? '', `${renewed}\n`);
    await errorOf(tokens('orders').renew(first));
    const sent = simulated.tokenRequests.map(({ fields }) => fields['client_assertion']);
    expect(new Set(sent).size).toBe(2);
    expect(sent.at(-1)).toBe(renewed);
  });

  it('B32: reads once more after a refusal, and sends one more request with a renewed assertion', async () => {
    const old = simulated.credentials('orders', 'test').clientAssertion;
    const assertions = [old, simulated.rotateSecret('orders', 'test')];
    const options = ordersOptions({ clientAssertion: () => assertions.shift() });
    const { tokens } = await appWith(cluster.Module.forRoot(options));
    await tokens('orders').getToken();
    expect(simulated.tokenRequests.map(({ status }) => status)).toEqual([401, 200]);
  });

  it('B32: does not send an expired assertion, and says how old it is and which setting holds it', async () => {
    const exp = Math.floor(Date.now() / 1000) - 90;
    const clientAssertion = await signedAssertion({ iss: 'https://kubernetes', sub: 'shop', exp });
    const options = ordersOptions({ clientAssertion: () => clientAssertion });
    const { tokens, logs } = await appWith(cluster.Module.forRoot(options));
    const published = eventsOf('token-request');
    const error = await errorOf(tokens('orders').getToken());
    expect(error).toBeInstanceOf(TokenRequestError);
    expect(published).toEqual([]);
    expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(textOf(error)).toMatch(
      /the client assertion expired 9\d s ago and was not sent\. Check the function .*interfaces\.orders\.test\.clientAssertion/,
    );
    expect(JSON.stringify(logs.lines)).toContain(
      '(TOKEN_UNAVAILABLE, interfaces.orders.test.clientAssertion, ',
    );
    expect(simulated.tokenRequests).toEqual([]);
  });

  it('B32: reports a refused assertion with another code than an expired one', async () => {
    const clientAssertion = await signedAssertion({ sub: 'shop', exp: Math.floor(Date.now() / 1000) + 60 });
    const { tokens } = await appWith(cluster.Module.forRoot(ordersOptions({ clientAssertion })));
    const error = await errorOf(tokens('orders').getToken());
    expect(error).toMatchObject({ code: 'TOKEN_REJECTED', oauthError: 'invalid_client' });
    expect(textOf(error)).toMatch(
      /Check the assertion in interfaces\.orders\.test\.clientAssertion and what the provider trusts: its issuer, subject and audience/,
    );
  });

  it('B32: sends an assertion that is no JWT as it is', async () => {
    const assertions = ['no.jwt.here', 'one-opaque-text', 'eyJhbGciOiJub25lIn0.W10.', 'a.b.c.d.e'];
    for (const clientAssertion of assertions) {
      const { tokens } = await appWith(cluster.Module.forRoot(ordersOptions({ clientAssertion })));
      await errorOf(tokens('orders').getToken());
    }
    const sent = simulated.tokenRequests.map(({ fields }) => fields['client_assertion']);
    expect(sent).toEqual(assertions);
  });
});

describe('B32: tls_client_auth', () => {
  it('B32: sends the client id and no secret, and the connection shows the certificate that the files hold', async () => {
    const { ca } = filesOf({ ca: simulated.ca });
    setVariables({ ...simulated.env(), CLUSTER_STOCK_TEST_CA_FILE: ca });
    const { tokens } = await appWith(cluster.Module.forRootAsync(cluster.config.asProvider()));
    await tokens('stock').getToken();
    const { clientId } = simulated.credentials('stock', 'test');
    expect(simulated.tokenRequests.map(({ status, fields }) => [status, fields])).toEqual([
      [200, { grant_type: 'client_credentials', client_id: clientId }],
    ]);
  });

  it.each([
    ['axios', {}],
    ['undici', { transport: () => undiciTransport() }],
    ['a tunnel', { isTunnelled: true }],
  ])('B32: two clients at one host never use the TLS session of the other one: %s', async (_, how) => {
    const { transport, isTunnelled }: { transport?: () => ProviderTransport; isTunnelled?: boolean } = how;
    const proxy = isTunnelled ? await ConnectProxy.start() : undefined;
    const options = simulated.options({
      http: { ...(transport && { transport: transport() }), ...(proxy && { proxy: proxy.setting }) },
    });
    const { test, live } = options.interfaces.stock ?? {};
    for (const pair of [test, live]) if (pair) pair.tokenUrl = byName(pair.tokenUrl);
    const { tokens } = await appWith(cluster.Module.forRoot(options));
    for (let round = 0; round < 3; round += 1)
      for (const environment of ['test', 'live'] as const) {
        const provider = tokens('stock', environment);
        await provider.renew(await provider.getToken());
      }
    const seen = simulated.tokenRequests.map(({ environment, status }) => [environment, status]);
    expect(seen.filter(([environment]) => environment === 'live').length).toBeGreaterThan(1);
    expect(seen.filter(([, status]) => status !== 200)).toEqual([]);
    expect(proxy?.tunnels.length).toBe(proxy && seen.length);
  });

  it('B32: brings its certificate to the token endpoint, and not to a proxy that is itself reached by TLS', async () => {
    const { ca: proxyCa, ...ofProxy } = issueServerCertificate('trusted');
    const proxy = await ConnectProxy.start(undefined, ofProxy);
    const files = filesOf({ ca: simulated.ca, proxy: proxyCa });
    const variables = Object.entries(simulated.env()).map(([name, value]) => [name, byName(value)]);
    const { code, stdout, stderr } = await runSource(THROUGH_PROXY, {
      ...(Object.fromEntries(variables) as Record<string, string>),
      CLUSTER_STOCK_TEST_CA_FILE: files.ca,
      CLUSTER_STOCK_LIVE_CA_FILE: files.ca,
      NODE_EXTRA_CA_CERTS: files.proxy,
      HTTPS_PROXY: `https://127.0.0.1:${proxy.port}`,
      NO_PROXY: '',
      no_proxy: '',
    });
    expect([code, stdout, stderr]).toEqual([0, '200\n200\n', '']);
    expect(simulated.tokenRequests.map(({ environment, status }) => [environment, status])).toEqual([
      ['test', 200],
      ['live', 200],
    ]);
    expect(proxy.tunnels).toHaveLength(4);
    expect(proxy.clientCertificates).toBe(0);
  });

  it('B32 B33: an account of the simulator has its own client id, and the certificate of the pair', async () => {
    simulated.addAccount('merchant-42');
    const { tokens } = await appWith(cluster.Module.forRoot(simulated.options()));
    await tokens('stock').for({ account: 'merchant-42' }).getToken();
    const { clientId, ...others } = simulated.credentials('stock', 'test', 'merchant-42');
    expect(simulated.tokenRequests).toMatchObject([
      { account: 'merchant-42', fields: { client_id: clientId } },
    ]);
    expect(others).not.toHaveProperty('clientKey');
  });

  it.each([
    ['a pair', undefined],
    ['an account', 'merchant-1'],
  ])(
    'B8: reads a certificate from files again if the token endpoint refuses it, so no caller of %s notices a rotation',
    async (_, account) => {
      const { ca } = filesOf({ ca: simulated.ca });
      const variables = simulated.env();
      setVariables({ ...variables, CLUSTER_STOCK_TEST_CA_FILE: ca });
      const { clientId } = simulated.credentials('stock', 'test');
      const options = { ...(await cluster.config()), accounts: () => ({ clientId }) };
      const { tokens } = await appWith(cluster.Module.forRoot(options));
      const stock = account === undefined ? tokens('stock') : tokens('stock').for({ account });
      const token = await stock.getToken();
      simulated.rotateSecret('stock', 'test');
      const { clientCertificate, clientKey } = simulated.credentials('stock', 'test');
      writeFileSync(variables['CLUSTER_STOCK_TEST_CERT_FILE'] ?? '', clientCertificate ?? '');
      writeFileSync(variables['CLUSTER_STOCK_TEST_KEY_FILE'] ?? '', clientKey ?? '');
      const renewed = await stock.renew(token);
      expect(renewed.equals(token)).toBe(false);
      // It was obtained with the new certificate, so it is valid.
      expect((await stock.getToken()).equals(renewed)).toBe(true);
      expect(simulated.tokenRequests.map(({ status }) => status)).toEqual([200, 401, 200]);
    },
  );
});

it('B32: the doctor requests a token for each pair, and names an expired assertion as the application does', async () => {
  const exp = Math.floor(Date.now() / 1000) - 90;
  const { old } = filesOf({ old: await signedAssertion({ sub: 'shop', exp }) });
  const { code, report, stdout } = await consult(simulated, {
    files: {
      'cluster.mjs': `
        import { defineProvider } from '${BUILT_LIBRARY}';
        export const cluster = defineProvider({
          name: 'cluster',
          environments: ['test', 'live'],
          interfaces: { orders: { clientAuth: 'client_assertion', scope: 'orders.read' }, stock: { clientAuth: 'tls_client_auth' } },
        });
      `,
    },
    args: ['--provider', './cluster.mjs', '--json'],
    env: { CLUSTER_ORDERS_TEST_CLIENT_ASSERTION_FILE: old },
  });
  const steps = report.results.map(({ interface: name, environment, steps }) => {
    const step = steps.find((one) => one.name === 'token-request');
    return { pair: `${name} ${environment}`, step };
  });
  expect(steps.map(({ pair, step }) => [pair, step?.status])).toEqual([
    ['orders test', 'failed'],
    ['orders live', 'ok'],
    ['stock test', 'ok'],
    ['stock live', 'ok'],
  ]);
  expect(steps[0]?.step).toMatchObject({
    code: 'TOKEN_UNAVAILABLE',
    detail: expect.stringMatching(/the client assertion expired \d+ s ago and was not sent/),
    advice: expect.stringContaining('CLUSTER_ORDERS_TEST_CLIENT_ASSERTION_FILE'),
  });
  expect(simulated.tokenRequests).toHaveLength(3);
  expect(stdout).not.toContain(old);
  expect(code).toBe(1);
});
