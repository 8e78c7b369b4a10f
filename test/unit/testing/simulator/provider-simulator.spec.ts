import { existsSync, readFileSync } from 'node:fs';
import { Agent, Server } from 'node:https';
import { basename } from 'node:path';
import { inspect } from 'node:util';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ProviderSimulator } from '../../../../lib/testing/index.js';
import type { AuthorityKeeper } from '../../../../lib/testing/simulator/certificate-authority.js';
import type { ObservedRequest } from '../../../../lib/testing/simulator/request-observers.js';
import { Timers } from '../../../../lib/testing/simulator/timers.js';
import { NOW } from '../../../support/token/fake-clock.js';
import {
  ALL_PAIRS,
  askForToken,
  callApi,
  formOf,
  startSimulator,
  startSimulatorOf,
  statuses,
  tokenOf,
} from '../../../support/application/simulator.js';
import { cluster, warehouse } from '../../../support/application/warehouse.js';
import { callHttps } from '../../../support/http/https-call.js';

const formWith = (fields: object): string => new URLSearchParams(Object.entries(fields)).toString();

describe('a simulator', () => {
  it('S4: has the addresses of the provider at its origin', async () => {
    const provider = await startSimulator();
    expect(provider.origin).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(provider.tokenUrl('easy', 'production')).toBe(
      `${provider.origin}/easy/production/auth/v0/connect/token`,
    );
    expect(provider.baseUrl('easy', 'sandbox')).toBe(`${provider.origin}/easy/sandbox/v1`);
    expect(provider.pairs.map((pair) => [pair.interface, pair.environment])).toEqual(ALL_PAIRS);
    expect(provider.ca).toMatch(/^-----BEGIN CERTIFICATE-----\n/);
  });

  it('S6: issues tokens, accepts them, and records both', async () => {
    const provider = await startSimulator();
    const token = await tokenOf(provider);
    const { status, json } = await callApi(provider, token, '/payments?a=b');
    const stray = await callHttps(`${provider.origin}/elsewhere`, { agent: provider.httpsAgent });
    expect([status, json['path'], stray.status]).toEqual([200, '/payments?a=b', 404]);
    expect(provider.tokenRequests).toMatchObject([
      { interface: 'easy', environment: 'sandbox', status: 200, token },
    ]);
    expect(provider.apiRequests).toMatchObject([
      { path: '/payments?a=b', status: 200, claims: { iss: provider.origin } },
      { path: '/elsewhere', status: 404, interface: undefined },
    ]);
  });

  it('S10: shows its origin and the number of its requests, and nothing else', async () => {
    const provider = await startSimulator();
    await tokenOf(provider);
    const shown = { origin: provider.origin, tokenRequests: 1, apiRequests: 0 };
    expect(provider.toJSON()).toEqual(shown);
    expect(inspect(provider)).toBe(`ProviderSimulator ${inspect(shown)}`);
  });

  it('B25: reports each request with what its address says', async () => {
    const provider = await startSimulator();
    const seen: ObservedRequest[] = [];
    provider.onRequest((request) => seen.push(request));
    const token = await tokenOf(provider);
    await askForToken(provider, 'originations', 'production');
    await callApi(provider, token, '/payments');
    await callHttps(`${provider.origin}/elsewhere`, { agent: provider.httpsAgent });
    await expect.poll(() => seen.length, { interval: 1, timeout: 5_000 }).toBe(4);
    expect(
      seen.map(({ kind, interface: name, environment, path }) => [kind, name, environment, path]),
    ).toEqual([
      ['token', 'easy', 'sandbox', '/easy/sandbox/auth/v0/connect/token'],
      ['token', 'originations', 'production', '/originations/oauth/token'],
      ['api', 'easy', 'sandbox', '/payments'],
      ['api', undefined, undefined, '/elsewhere'],
    ]);
  });

  it('signs its tokens with its only key, and knows the newest token of a pair', async () => {
    const provider = await startSimulator({ now: () => NOW });
    const pair = { interface: 'easy', environment: 'sandbox' };
    expect(provider.newestToken(pair)).toBeUndefined();
    const token = await tokenOf(provider);
    expect(provider.newestToken(pair)).toMatchObject({ state: 'valid', expiresAt: NOW + 3_600_000 });
    expect(provider.jwks().keys).toHaveLength(1);
    const keys = createLocalJWKSet(provider.jwks());
    const { payload } = await jwtVerify(token, keys, { currentDate: new Date(NOW) });
    expect(payload).toMatchObject({ ...pair, iss: provider.origin });
  });
});

describe('the scripts of a simulator', () => {
  it('B2: play faults on the token endpoint and on the API, early or late', async () => {
    const provider = await startSimulator();
    provider.token.next().status(503);
    expect(await statuses(provider, 2)).toEqual([503, 200]);
    const token = await tokenOf(provider);
    provider.api.next().status(500);
    provider.api.early().next().status(502);
    const got = [];
    for (let call = 0; call < 3; call += 1) got.push((await callApi(provider, token)).status);
    expect(got).toEqual([502, 500, 200]);
    expect(provider.token.revoke(token)).toBe(true);
    expect((await callApi(provider, token)).status).toBe(401);
  });

  it('B25: are listed, and can be taken back one by one', async () => {
    const provider = await startSimulator();
    provider.api.early().after(3).regular();
    provider.api.after(2).regular();
    provider.token.after(1).regular();
    const waits = () => provider.waitingScripts.map(({ scope }) => scope.afterMs);
    expect(waits()).toEqual([1, 2, 3]);
    const ids = provider.waitingScripts.map(({ id }) => id);
    expect(provider.takeBack(ids[1]!)).toBe(true);
    expect([provider.takeBack(ids[1]!), waits()]).toEqual([false, [1, 3]]);
    expect([provider.takeBack(ids[2]!), provider.takeBack(ids[0]!), waits()]).toEqual([true, true, []]);
  });

  it('end with a reset, as the records do. Credentials and tokens stay', async () => {
    const provider = await startSimulator();
    const token = await tokenOf(provider);
    await callApi(provider, token);
    provider.token.status(503);
    provider.api.status(503);
    const credentials = provider.credentials('easy', 'sandbox');
    provider.reset();
    expect([provider.tokenRequests, provider.apiRequests, provider.waitingScripts]).toEqual([[], [], []]);
    expect(provider.credentials('easy', 'sandbox')).toEqual(credentials);
    expect((await callApi(provider, token)).status).toBe(200);
  });
});

describe('the options of a start', () => {
  it('S8: lifetimeSeconds, now: tokens end by the clock of the test', async () => {
    let now = NOW;
    const provider = await startSimulator({ lifetimeSeconds: 60, now: () => now });
    const token = await tokenOf(provider);
    const got = [];
    for (const later of [59_999, 1]) {
      now += later;
      got.push((await callApi(provider, token)).status);
    }
    expect(got).toEqual([200, 401]);
    expect(provider.tokenRequests[0]?.at).toEqual(new Date(NOW));
  });

  it('now: without it, tokens end by Date.now, even if a test replaces it later', async () => {
    const provider = await startSimulator({ lifetimeSeconds: 60 });
    const token = await tokenOf(provider);
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    vi.setSystemTime(Date.now() + 60_000);
    expect((await callApi(provider, token)).status).toBe(401);
  });

  it('latencyMs: delays each answer', async () => {
    const after = vi.spyOn(Timers.prototype, 'after');
    const provider = await startSimulator({ latencyMs: 1 });
    await callApi(provider, await tokenOf(provider));
    await callApi(provider, 'canary-unknown');
    expect(after.mock.calls.map(([ms]) => ms)).toEqual([1, 1, 1]);
    after.mockClear();
    await tokenOf(await startSimulator());
    expect(after).not.toHaveBeenCalled();
  });

  it('environment: is the active one', async () => {
    const provider = await startSimulator({ environment: 'production' });
    expect([provider.options().environment, provider.env()['PROVIDER_ENVIRONMENT']]).toEqual([
      'production',
      'production',
    ]);
    const usual = await startSimulator();
    expect(usual.options().environment).toBe('sandbox');
  });

  it('recordApiRequests, recordTokenRequests: false keeps no record', async () => {
    const provider = await startSimulator({ recordApiRequests: false });
    await callApi(provider, await tokenOf(provider));
    expect([provider.tokenRequests.length, provider.apiRequests.length]).toEqual([1, 0]);
    const other = await startSimulator({ recordTokenRequests: false });
    await callApi(other, await tokenOf(other));
    expect([other.tokenRequests.length, other.apiRequests.length]).toEqual([0, 1]);
  });

  it('certificate: what is wrong with it', async () => {
    const provider = await startSimulator({ certificate: 'wrong-host' });
    await expect(tokenOf(provider)).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  // Another program may take the port before the simulator does.
  it('port, authority: B25: are those of an earlier start', { retry: 3 }, async () => {
    const first = await startSimulator();
    const port = Number(new URL(first.origin).port);
    await first.close();
    const save = vi.fn<AuthorityKeeper['save']>(() => Promise.resolve());
    const provider = await startSimulator({
      port,
      authority: { load: () => Promise.resolve(undefined), save },
    });
    expect(provider.origin).toBe(first.origin);
    expect(save.mock.calls[0]?.[0]?.certificate).toBe(provider.ca);
  });

  it('credentials: are those that the test gives', async () => {
    const provider = await startSimulator({
      credentials: (pair) => ({
        clientId: `id-of-${pair.interface}-${pair.environment}`,
        clientSecret: 'canary-secret',
      }),
    });
    expect(provider.credentials('easy', 'production')).toEqual({
      clientId: 'id-of-easy-production',
      clientSecret: 'canary-secret',
    });
    expect(await statuses(provider, 1)).toEqual([200]);
  });

  it('demandsClientCertificate: B32: only the agents of the simulator have the certificate', async () => {
    const provider = await startSimulator({ demandsClientCertificate: true });
    expect(provider.clientCertificate).toEqual({ cert: expect.any(String), key: expect.any(String) });
    expect(await statuses(provider, 1)).toEqual([200]);
    const agent = new Agent({ ca: provider.ca });
    await expect(askForToken(provider, 'easy', 'sandbox', { agent })).rejects.toThrow(
      /certificate required|socket hang up|ECONNRESET|EPIPE/,
    );
    expect((await startSimulator()).clientCertificate).toBeUndefined();
  });

  it('provider, grants: B24: plays that provider, and grants what the test lists', async () => {
    const simulated = await startSimulatorOf(warehouse, { grants: [{ scope: 'stock.write' }] });
    const { clientId, clientSecret } = simulated.credentials('stock', 'test');
    const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const ask = (scope: string) =>
      callHttps(simulated.tokenUrl('stock', 'test'), {
        agent: simulated.httpsAgent,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: formWith({ ...fields, scope }),
      });
    const got = [];
    for (const scope of ['stock.read stock.write', 'stock.write', 'stock.none'])
      got.push((await ask(scope)).status);
    expect(got).toEqual([200, 200, 400]);
    expect(simulated.options()).toMatchObject({ environment: 'test', interfaces: { bankOrders: {} } });
  });

  it('provider: B24: must be what defineProvider() returned', async () => {
    await expect(ProviderSimulator.start({ provider: { ...warehouse } as never })).rejects.toThrow(
      new TypeError('`provider` must be what defineProvider() returned. Pass that object itself.'),
    );
  });
});

describe('the settings of a simulator', () => {
  it('C4: are complete options, with an agent that trusts it', async () => {
    const provider = await startSimulator();
    const { environment, http, ...options } = provider.options();
    expect([environment, http]).toEqual(['sandbox', { httpsAgent: provider.httpsAgent }]);
    expect(Object.keys(options)).toEqual(['interfaces']);
    expect(options.interfaces).toMatchObject({
      originations: { tokenUrl: provider.tokenUrl('originations', 'sandbox') },
      easy: { production: { baseUrl: provider.baseUrl('easy', 'production') } },
    });
  });

  it('C5: take the overrides of a test, and keep the agent unless the test has one', async () => {
    const provider = await startSimulator();
    const token = { renewAheadMs: 5 };
    const { interfaces: _, ...taken } = provider.options({
      environment: 'production',
      token,
      http: { timeoutMs: 7 },
    });
    expect(taken).toEqual({
      environment: 'production',
      token,
      http: { timeoutMs: 7, httpsAgent: provider.httpsAgent },
    });
    const httpsAgent = provider.agent({ maxSockets: 3 });
    expect(provider.options({ http: { httpsAgent } }).http).toEqual({ httpsAgent });
  });

  it('C4: are variables, too', async () => {
    const provider = await startSimulator();
    const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
    expect(provider.env()).toMatchObject({
      PROVIDER_EASY_SANDBOX_CLIENT_ID: clientId,
      PROVIDER_EASY_SANDBOX_CLIENT_SECRET: clientSecret,
      PROVIDER_EASY_SANDBOX_TOKEN_URL: provider.tokenUrl('easy', 'sandbox'),
    });
  });

  it('B31: name the file of a key, which the end of the simulator removes', async () => {
    const simulated = await startSimulatorOf(warehouse);
    const { WAREHOUSE_RETURNS_LIVE_CLIENT_KEY_FILE: file = '' } = simulated.env();
    expect(basename(file)).toBe('returns.live.key.pem');
    expect(readFileSync(file, 'utf8')).toBe(simulated.credentials('returns', 'live').clientKey);
    await simulated.close();
    expect(existsSync(file)).toBe(false);
  });

  it('B25: name the files that a caller has chosen', async () => {
    const simulated = await startSimulatorOf(warehouse, {
      keyFileOf: ({ environment }: { environment: string }) => `/run/${environment}.pem`,
      tlsFiles: { ca: '/run/ca.pem' },
    });
    expect(simulated.env()).toMatchObject({
      WAREHOUSE_RETURNS_LIVE_CLIENT_KEY_FILE: '/run/live.pem',
      WAREHOUSE_STOCK_LIVE_CA_FILE: '/run/ca.pem',
    });
  });

  it('B33: have accounts once there is one', async () => {
    const provider = await startSimulator();
    expect(provider.options()).not.toHaveProperty('accounts');
    provider.addAccount('merchant-42');
    const { accounts } = provider.options() as {
      accounts?: (account: string, pair: object) => unknown;
    };
    const pair = { interface: 'easy', environment: 'production' };
    expect(accounts?.('merchant-42', pair)).toEqual(
      provider.credentials('easy', 'production', 'merchant-42'),
    );
    expect(accounts?.('merchant-7', pair)).toBeUndefined();
    const mine = vi.fn<() => undefined>();
    expect(provider.options({ accounts: mine })).toMatchObject({ accounts: mine });
  });

  it('B8: have the secret of a rotation', async () => {
    const provider = await startSimulator();
    const before = formWith(formOf(provider, 'easy', 'sandbox'));
    expect(provider.rotateSecret('easy', 'sandbox', 'canary-new')).toBe('canary-new');
    expect(provider.credentials('easy', 'sandbox').clientSecret).toBe('canary-new');
    const old = await askForToken(provider, 'easy', 'sandbox', { body: before });
    expect([old.status, ...(await statuses(provider, 1))]).toEqual([401, 200]);
    provider.addAccount('merchant-42');
    const secret = provider.rotateSecret('easy', 'sandbox', undefined, 'merchant-42');
    expect(provider.credentials('easy', 'sandbox', 'merchant-42').clientSecret).toBe(secret);
    expect(provider.credentials('easy', 'sandbox').clientSecret).toBe('canary-new');
  });

  it('B32: have TLS for each pair instead of an agent, and the server sees the certificate', async () => {
    const simulated = await startSimulatorOf(cluster);
    const { http, interfaces } = simulated.options() as never as {
      http: object;
      interfaces: { stock: { live: { tls: { ca: string; cert: string } } } };
    };
    expect(http).toEqual({});
    const { clientId, clientCertificate: cert, clientKey: key } = simulated.credentials('stock', 'live');
    expect(interfaces.stock.live.tls).toMatchObject({ ca: simulated.ca, cert });
    const { status } = await callHttps(simulated.tokenUrl('stock', 'live'), {
      agent: simulated.agent({ cert, key }),
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: formWith({ grant_type: 'client_credentials', client_id: clientId }),
    });
    expect(status).toBe(200);
  });

  it('B32: have an assertion for the token URL, by the clock of the test', async () => {
    const simulated = await startSimulatorOf(cluster, { now: () => NOW });
    const { clientAssertion = '' } = simulated.credentials('orders', 'live');
    expect(decodeJwt(clientAssertion)).toMatchObject({
      aud: simulated.tokenUrl('orders', 'live'),
      iat: NOW / 1000,
    });
  });
});

describe('the agents of a simulator', () => {
  it('keep connections, trust it, ask no proxy of Node, and take the options of a test', async () => {
    const provider = await startSimulator();
    expect(provider.httpsAgent).toBe(provider.httpsAgent);
    const agent = provider.agent({ maxSockets: 3, keepAlive: false });
    expect(provider.httpsAgent.options).toMatchObject({ keepAlive: true, ca: provider.ca, proxyEnv: null });
    expect(agent.options).toMatchObject({ keepAlive: false, ca: provider.ca, maxSockets: 3 });
    expect(agent).not.toBe(provider.agent());
  });

  it('are destroyed by close(), which can be called twice', async () => {
    const listen = vi.spyOn(Server.prototype, 'listen');
    const provider = await startSimulator();
    const server = listen.mock.contexts[0] as Server;
    expect(server.listening).toBe(true);
    const agents = [provider.httpsAgent, provider.agent()].map((agent) => vi.spyOn(agent, 'destroy'));
    const clear = vi.spyOn(Timers.prototype, 'close');
    const closed = provider.close();
    expect(agents.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    expect(provider.close()).toBe(closed);
    expect(provider[Symbol.asyncDispose]()).toBe(closed);
    await closed;
    expect(clear).toHaveBeenCalledTimes(1);
    expect(server.listening).toBe(false);
  });
});
