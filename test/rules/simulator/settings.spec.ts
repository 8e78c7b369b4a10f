import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { Agent } from 'node:https';
import { basename, dirname } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { readEnvironmentVariables, validateOptions } from '../../support/application/built-in.js';
import {
  ALL_PAIRS,
  askForToken,
  callApi,
  outcome,
  startSimulator,
  startSimulatorOf,
  statuses,
  tokenOf,
} from '../../support/application/simulator.js';
import { cluster, warehouse } from '../../support/application/warehouse.js';
import { EVERY_TERM } from '../../support/application/every-term.js';
import { NOW } from '../../support/token/fake-clock.js';

const provider = await ProviderSimulator.start({ environment: 'production' });
const simulatedWarehouse = await ProviderSimulator.start({ provider: warehouse });
const simulatedCluster = await ProviderSimulator.start({ provider: cluster, now: () => NOW });
afterAll(() => Promise.all([provider, simulatedWarehouse, simulatedCluster].map((one) => one.close())));

describe('the settings that the simulator returns', () => {
  it('C4 S4: are complete, as options and as variables, with the addresses at its origin', async () => {
    expect(provider.origin).toMatch(/^https:\/\/127\.0\.0\.1:\d{4,5}$/);
    expect(provider.tokenUrl('easy', 'production')).toBe(
      `${provider.origin}/easy/production/auth/v0/connect/token`,
    );
    expect(provider.baseUrl('easy', 'sandbox')).toBe(`${provider.origin}/easy/sandbox/v1`);
    expect(provider.simulation.catalogue.pairs.map((pair) => [pair.interface, pair.environment])).toEqual(
      ALL_PAIRS,
    );
    const wanted = ALL_PAIRS.map(([name, environment]) => ({
      interface: name,
      environment,
      active: environment === 'production',
      tokenUrl: provider.tokenUrl(name, environment),
      baseUrl: provider.baseUrl(name, environment),
      ...provider.credentials(name, environment),
    }));
    for (const options of [provider.options(), readEnvironmentVariables(provider.env())]) {
      const { profiles } = await validateOptions(options);
      const given = profiles.map(async ({ clientId, clientSecret, ...rest }) => {
        const secret = await clientSecret.read();
        return { ...rest, clientId: clientId?.reveal(), clientSecret: secret.reveal() };
      });
      expect(await Promise.all(given)).toEqual(
        expect.arrayContaining(wanted.map((pair) => expect.objectContaining(pair) as unknown)),
      );
    }
    expect(provider.options().interfaces).not.toHaveProperty('originations.production.tokenUrl');
  });

  it('C5: take the overrides of a test, and merge its http', () => {
    const { interfaces, environment, token, http } = provider.options({
      environment: 'sandbox',
      interfaces: {},
      token: { renewAheadMs: 5 },
      http: { timeoutMs: 7 },
    });
    expect({ interfaces, environment, token }).toEqual({
      interfaces: {},
      environment: 'sandbox',
      token: { renewAheadMs: 5 },
    });
    expect(http).toMatchObject({ ...provider.options().http, timeoutMs: 7 });
  });

  it('S9: trust the simulator in the interfaces of a test too, unless the test has an agent', () => {
    const own = { baseUrl: 'https://own.example', clientId: 'an id', clientSecret: 'a secret' };
    const interfaces = {
      originations: { tokenUrl: 'https://own.example/oauth/token', sandbox: own },
      easy: {
        production: { ...own, tokenUrl: 'https://own.example/auth/v0/connect/token', tls: { ca: 'own' } },
      },
    };
    expect(provider.options({ interfaces }).interfaces).toEqual({
      originations: { ...interfaces.originations, sandbox: { ...own, tls: { ca: provider.ca } } },
      easy: interfaces.easy,
    });
    const http = { httpsAgent: provider.agent() };
    expect(provider.options({ interfaces, http }).interfaces).toEqual(interfaces);
    expect(provider.options({ http }).interfaces).not.toHaveProperty('easy.sandbox.tls');
  });

  it('B8: have the secret of a rotation', () => {
    const secret = provider.rotateSecret('easy', 'production');
    expect(provider.env()['PROVIDER_EASY_PRODUCTION_CLIENT_SECRET']).toBe(secret);
    expect(provider.env()['PROVIDER_ENVIRONMENT']).toBe('production');
  });

  it('B31 S10: name the file of a key, which only this user can read, and which the end removes', async () => {
    const simulated = await startSimulatorOf(warehouse);
    const { WAREHOUSE_RETURNS_LIVE_CLIENT_KEY_FILE: file = '' } = simulated.env();
    const { clientKey } = simulated.credentials('returns', 'live');
    expect([basename(file), readFileSync(file, 'utf8')]).toEqual(['returns.live.key.pem', clientKey]);
    const modes = [file, dirname(file)].map((path) => (statSync(path).mode % 0o1000).toString(8));
    // Windows has no such modes.
    expect(modes).toEqual(process.platform === 'win32' ? modes : ['600', '700']);
    await simulated.close();
    expect(existsSync(dirname(file))).toBe(false);
  });

  it('B25 B31 B32: name the files that a caller has chosen', async () => {
    const files = {
      write: (name: string) => `/run/${name}`,
      tls: { ca: '/run/ca.pem' },
    };
    const variables = { ...simulatedWarehouse.envWith(files), ...simulatedCluster.envWith(files) };
    expect(variables).toMatchObject({
      WAREHOUSE_RETURNS_LIVE_CLIENT_KEY_FILE: '/run/returns.live.key.pem',
      WAREHOUSE_STOCK_LIVE_CA_FILE: '/run/ca.pem',
      CLUSTER_ORDERS_LIVE_CLIENT_ASSERTION_FILE: '/run/orders.live.assertion.pem',
      CLUSTER_STOCK_LIVE_KEY_FILE: '/run/stock.live.key.pem',
      CLUSTER_STOCK_LIVE_CERT_FILE: '/run/stock.live.cert.pem',
    });
  });

  it('B31: have the key, its certificate and the issuer if the definition demands them', async () => {
    const simulated = await EVERY_TERM.simulate();
    const { clientKey, clientCertificate } = simulated.credentials('easy', 'sandbox');
    const issuer = `${simulated.origin}/easy/sandbox/issuer`;
    const { easy } = simulated.options().interfaces as never as Record<'easy', { sandbox: object }>;
    expect(easy.sandbox).toMatchObject({ clientCertificate, issuer });
    expect(easy.sandbox).not.toHaveProperty('clientSecret');
    const { key } = easy.sandbox as { key?: unknown };
    expect([key, clientKey?.startsWith('-----BEGIN PRIVATE KEY-----')]).toEqual([undefined, true]);
    expect(Object.values(simulated.env())).toContain(issuer);
    await simulated.close();
  });
});

describe('the options of a start', () => {
  it.each([
    ['expired', 'CERT_HAS_EXPIRED'],
    ['wrong-host', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['self-signed', /SELF_SIGNED/],
  ] as const)('B13: certificate: %s is refused by every client', async (certificate, code) => {
    const wrong = await startSimulator({ certificate });
    await expect(askForToken(wrong)).rejects.toMatchObject({ code: expect.stringMatching(code) });
    expect(wrong.tokenRequests).toEqual([]);
  });

  it.each(['localhost', '127.0.0.1'])('S9: certificate: is valid for %s by default', async (host) => {
    const url = new URL(provider.tokenUrl('easy', 'sandbox'));
    url.hostname = host;
    expect((await askForToken(provider, 'easy', 'sandbox', { url: url.href })).status).toBe(200);
  });

  it('B13: headers may have 100 KiB', async () => {
    expect(await outcome(callApi(provider, 'x'.repeat(100 * 1024)))).toBe(401);
  });

  it('now: without it, tokens end by Date.now, even if a test replaces it later', async () => {
    const token = await tokenOf(provider);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await outcome(callApi(provider, token))).toBe(401);
  });

  it('timers: those of the simulator are real, even if a test has fake ones', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    provider.token.next().delay(1);
    expect(await statuses(provider, 1)).toEqual([200]);
  });

  it('recordApiRequests, recordTokenRequests: false keeps no record', async () => {
    const other = await startSimulator({ recordApiRequests: false, recordTokenRequests: false });
    await callApi(other, await tokenOf(other));
    expect([other.tokenRequests, other.apiRequests]).toEqual([[], []]);
  });

  it('port, authority: B25: are those of an earlier start', async () => {
    // Below the ports that a system gives to a server that asks for any.
    const first = await startSimulator({ port: randomInt(30_000, 32_000) });
    await first.close();
    const authority = first.simulation.server.certificate;
    const port = Number(new URL(first.origin).port);
    const second = await startSimulator({ port, authority });
    expect([second.origin, second.ca]).toEqual([first.origin, first.ca]);
    await expect(startSimulator({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const agent = new Agent({ ca: first.ca });
    expect((await askForToken(second, 'easy', 'sandbox', { agent })).status).toBe(200);
  });

  it('demandsClientCertificate: B32: only the agents of the simulator have the certificate', async () => {
    const other = await startSimulator({ demandsClientCertificate: true });
    expect(await statuses(other, 1)).toEqual([200]);
    const agent = new Agent({ ca: other.ca });
    await expect(askForToken(other, 'easy', 'sandbox', { agent })).rejects.toThrow(
      /certificate required|socket hang up|ECONNRESET|EPIPE/,
    );
    expect(provider.simulation.server.certificate.client).toBeUndefined();
  });

  it('provider: B24: must be what defineProvider() returned', async () => {
    await expect(ProviderSimulator.start({ provider: { ...warehouse } as never })).rejects.toThrow(
      new TypeError('`provider` must be what defineProvider() returned. Pass that object itself.'),
    );
    expect(simulatedWarehouse.options()).toMatchObject({
      environment: 'test',
      interfaces: { bankOrders: {} },
    });
  });
});

it('the agents of a simulator keep connections, trust it, ask no proxy of Node, and take options', () => {
  const agent = provider.agent({ maxSockets: 3, keepAlive: false });
  expect(provider.agent().options).toMatchObject({ keepAlive: true, ca: provider.ca, proxyEnv: null });
  expect(agent.options).toMatchObject({ keepAlive: false, ca: provider.ca, maxSockets: 3 });
  expect(provider.httpsAgent).toBe(provider.httpsAgent);
});

it('S10: the simulator shows no secret and no token', async () => {
  const other = await startSimulator();
  const token = await tokenOf(other);
  await callApi(other, token);
  const { clientId, clientSecret } = other.credentials('easy', 'sandbox');
  const { tokenRequests, apiRequests } = other;
  for (const value of [other, { tokenRequests, apiRequests }, other.token, other.api]) {
    const text = inspect(value, { depth: Infinity, showHidden: true }) + JSON.stringify(value);
    for (const secret of [clientId, clientSecret, token]) expect(text).not.toContain(secret);
  }
  const { interfaces } = other.options();
  expect(
    inspect(interfaces, { depth: Infinity, showHidden: true }) + JSON.stringify(interfaces),
  ).not.toContain(clientSecret);
});
