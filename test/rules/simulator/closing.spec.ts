import fs from 'node:fs';
import { Agent } from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { warehouse } from '../../support/application/warehouse.js';
import { callHttps } from '../../support/http/https-call.js';
import { runSource } from '../../support/run/run-source.js';
import { askForToken, callApi, startSimulator, tokenOf } from '../../support/application/simulator.js';

const FAR = 600_000;

it('closing the simulator ends hanging, begun, held and late answers at once', async () => {
  const provider = await ProviderSimulator.start();
  const token = await tokenOf(provider);
  const agent = new Agent({ ca: provider.ca, keepAlive: true }); // not an agent of the provider, which `close()` destroys
  provider.token.next().hang();
  provider.token.next().handler((_request, response) => response.flushHeaders());
  provider.token.next().delay(FAR);
  provider.token.next().hold();
  provider.api.next().hang();
  const calls = Promise.allSettled([
    ...Array.from({ length: 4 }, () => askForToken(provider, 'easy', 'sandbox', { agent })),
    callApi(provider, token, '/', { agent }),
  ]);
  await expect.poll(() => provider.tokenRequests.length + provider.apiRequests.length).toBe(6);
  await provider.close();
  const outcomes = await calls;
  expect(outcomes.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
});

it('closing the simulator destroys the agents that it created', async () => {
  const provider = await ProviderSimulator.start();
  const agents = [provider.httpsAgent, provider.agent()];
  for (const agent of agents) await askForToken(provider, 'easy', 'sandbox', { agent });
  const idle = agents.flatMap(({ freeSockets }) => Object.values(freeSockets).flat());
  expect(idle.map((socket) => socket?.destroyed)).toEqual([false, false]);
  const closed = provider.close();
  expect(idle.map((socket) => socket?.destroyed)).toEqual([true, true]);
  await closed;
});

it('closing the simulator ends the server although a file cannot be removed', async () => {
  const provider = await ProviderSimulator.start({ provider: warehouse });
  const key = provider.env()['WAREHOUSE_RETURNS_TEST_CLIENT_KEY_FILE'] ?? '';
  const { rmSync } = fs;
  fs.rmSync = () => {
    throw new Error('another program has it open');
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.rmSync = rmSync;
    syncBuiltinESMExports();
    rmSync(dirname(key), { recursive: true });
  });
  await expect(provider.close()).rejects.toThrow('another program');
  await expect(callHttps(provider.origin, { agent: new Agent() })).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
});

it('closing the simulator leaves no timer and no connection that keeps the process alive', async () => {
  const { code, stdout, stderr } = await runSource(`
      import { request } from 'node:https';
      import { ProviderSimulator } from './lib/testing/index.ts';
      const provider = await ProviderSimulator.start({ latencyMs: 1 });
      const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
      const body = new URLSearchParams({
        grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret,
      }).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const ask = () => new Promise((resolve) => {
        const call = request(provider.tokenUrl('easy', 'sandbox'), { method: 'POST', headers, agent: provider.httpsAgent });
        call.on('response', (response) => response.on('error', resolve).on('end', resolve).resume()).on('error', resolve);
        call.end(body);
      });
      await ask();
      provider.token.next().hang();
      provider.token.next().delay(${FAR});
      provider.token.handler((request, response) => response.flushHeaders());
      for (let count = 0; count < 3; count += 1) void ask();
      while (provider.tokenRequests.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
      await provider.close();
      console.log('closed');
    `);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'closed\n', stderr: '' });
});

it('S5: several simulators do not accept the credentials, tokens and certificates of each other', async () => {
  const [one, other] = [await startSimulator(), await startSimulator()];
  const token = await tokenOf(one);
  const { status } = await callApi(other, token);
  const asked = await askForToken(one, 'easy', 'sandbox', {
    url: other.tokenUrl('easy', 'sandbox'),
    agent: other.httpsAgent,
  });
  expect([status, asked.status]).toEqual([401, 401]);
  await expect(askForToken(one, 'easy', 'sandbox', { agent: other.httpsAgent })).rejects.toMatchObject({
    code: expect.stringMatching(/CERT|UNABLE_TO_VERIFY/),
  });
});
