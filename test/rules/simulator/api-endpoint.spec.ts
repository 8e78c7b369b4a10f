import { createHash } from 'node:crypto';
import { afterAll, afterEach, expect, it } from 'vitest';
import { refusalsOf } from '../../../lib/catalogue/catalogue.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import type { ReceivedRequest } from '../../../lib/testing/simulator/records.js';
import { callHttps } from '../../support/http/https-call.js';
import { ALL_PAIRS, callApi, tokenOf } from '../../support/application/simulator.js';
import { EVERY_TERM } from '../../support/application/every-term.js';
import { NOW } from '../../support/token/fake-clock.js';

const provider = await ProviderSimulator.start({ now: () => NOW });
const seen: ReceivedRequest<string, string>[] = [];
provider.simulation.observers.push((request) => void seen.push(request));
const token = await tokenOf(provider);
afterEach(() => {
  provider.reset();
  seen.length = 0;
});
afterAll(() => provider.close());

const CHALLENGE = 'Bearer error="invalid_token"';

/** Sends the path as it is: a URL would be resolved before it is sent. */
const sent = async (path: string, authorization: string | undefined = `Bearer ${token}`) => {
  const headers = authorization === '' ? {} : { authorization };
  return callHttps(provider.origin, { agent: provider.httpsAgent, path, headers });
};

/** What the observer says about each request. */
async function observed(count: number): Promise<ReceivedRequest<string, string>[]> {
  await expect.poll(() => seen.length, { interval: 5 }).toBe(count);
  return seen;
}

it.each(ALL_PAIRS)(
  'S6: the API of %s %s describes what arrived, without the token',
  async (name, environment) => {
    const own = await tokenOf(provider, name, environment);
    const body = Buffer.from([0, 255, 10, 13, 128]);
    const call = { name, environment, method: 'POST', body };
    const { status, text, json } = await callApi(provider, own, '/payments/7?expand=all', call);
    expect([status, text.includes(own)]).toEqual([200, false]);
    const described = { interface: name, environment, path: '/payments/7?expand=all' };
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    expect(json).toEqual({ ...described, method: 'POST', bodyLength: 5, bodySha256 });
    const { json: other } = await callApi(provider, own, '', { name, environment });
    expect(other).toMatchObject({ path: '/', bodyLength: 0, bodySha256: createHash('sha256').digest('hex') });
  },
);

it('S5: a token is valid in its interface and environment only', async () => {
  const tokens = await Promise.all(ALL_PAIRS.map((pair) => tokenOf(provider, ...pair)));
  const table = [];
  for (const own of tokens)
    for (const [name, environment] of ALL_PAIRS)
      table.push((await callApi(provider, own, '/', { name, environment })).status);
  const count = ALL_PAIRS.length;
  expect(table).toEqual(ALL_PAIRS.flatMap((own) => ALL_PAIRS.map((pair) => (pair === own ? 200 : 401))));
  // Each token was requested, and tried at each pair.
  const all = await observed(count + count * count);
  expect(all.filter(({ findings }) => findings.reason === 'token of easy production')).toHaveLength(
    count - 1,
  );
});

it.each<[what: string, authorization: () => string, reason: string]>([
  ['no Authorization', () => '', 'no token'],
  ['an unknown token', () => 'Bearer unknown', 'token was not issued since the start'],
  ['an empty token', () => 'Bearer ', 'the Authorization header is not "Bearer <token>"'],
  ['another scheme', () => `Basic ${token}`, 'the Authorization header is not "Bearer <token>"'],
  ['a longer token', () => `Bearer ${token}x`, 'token was not issued since the start'],
])('S6 B25: %s is refused, and an observer knows why', async (_, authorization, reason) => {
  const { status, headers, text } = await sent('/easy/sandbox/v1/x', authorization());
  expect([status, headers['www-authenticate'], text]).toEqual([401, CHALLENGE, '{"error":"invalid_token"}']);
  const [{ findings }] = (await observed(1)) as [ReceivedRequest<string, string>];
  expect([findings.reason, refusalsOf(findings.terms)]).toEqual([reason, [401]]);
});

it.each<[target: string, found: string | number | undefined]>([
  ['/easy/sandbox/v1', '/'],
  ['/easy/sandbox/v1/a"b', '/a"b'],
  ['/easy/sandbox/v1/a/../b?c=d', '/b?c=d'],
  ['/easy/production/v1/%2e%2e/%2E%2E/sandbox/v1/x', '/x'],
  ['/easy/production/v1/..\\..\\sandbox/v1/x', '/x'],
  ['https://proxy.example/easy/sandbox/v1/x?y=1', '/x?y=1'],
  ['/easy/sandbox/v1/../../production/v1/x', 401],
  ['/easy/sandbox/v10', 404],
  ['*', 404],
])('S6: the target %s is resolved before it is read', async (target, found) => {
  const { status, json } = await sent(target);
  expect(status === 200 ? json['path'] : status).toBe(found);
});

it('S6 S8 S10: each request is recorded, also one to an undocumented address, and prints no token', async () => {
  await callApi(provider, token, '/a?b=c', { method: 'PUT', body: 'bytes', headers: { 'x-call': '7' } });
  await callApi(provider, 'canary-unknown');
  await sent('/elsewhere');
  const [good, bad, stray] = provider.apiRequests;
  const tokenFingerprint = createHash('sha256').update(token).digest('hex').slice(0, 16);
  const facts = { interface: 'easy', environment: 'sandbox', method: 'PUT', path: '/a?b=c', status: 200 };
  const headers = { 'x-call': '7', authorization: `Bearer ${token}` };
  const { clientId } = provider.credentials('easy', 'sandbox');
  expect(good).toMatchObject({ ...facts, headers, claims: { sub: clientId }, tokenFingerprint });
  expect(good?.body.toString()).toBe('bytes');
  expect(bad).toMatchObject({ status: 401, claims: undefined, tokenFingerprint: expect.any(String) });
  expect(stray).toMatchObject({ interface: undefined, path: '/elsewhere', status: 404 });
  expect(JSON.parse(JSON.stringify(good))).toEqual({
    ...facts,
    at: new Date(NOW).toISOString(),
    tokenFingerprint,
  });
  expect((await observed(3))[2]).toMatchObject({ findings: { kind: 'api', reason: 'no such address' } });
});

it('B25: an observer sees each request when its answer has ended, complete or not', async () => {
  provider.api.next().status(503);
  provider.api.next().reset();
  provider.api.next().reset('mid-body');
  const faults = provider.simulation.scripts.waiting.map(({ id }) => id);
  for (const path of ['/a?b=c', '/b', '/c', '/d'])
    await callApi(provider, token, path).catch(() => undefined);
  const all = await observed(4);
  const shown = all.map(({ path, status, findings }) => [path, status, findings.isComplete, findings.fault]);
  expect(shown).toEqual([
    ['/a?b=c', 503, true, faults[0]],
    ['/b', undefined, false, faults[1]],
    ['/c', 200, false, faults[2]],
    ['/d', 200, true, undefined],
  ]);
  expect(all[0]).toMatchObject({
    at: new Date(NOW),
    method: 'GET',
    findings: { reason: 'valid token', durationMs: expect.any(Number) },
  });
});

it('B31: a definition has its own scheme, and no token of another simulator is valid', async () => {
  const simulated = await EVERY_TERM.simulate({ now: () => NOW });
  const { status, headers } = await callApi(simulated, token, '/', {
    headers: { authorization: `Easy-Token ${token}` },
  });
  expect([status, headers['www-authenticate']]).toEqual([401, 'Easy-Token error="invalid_token"']);
  await simulated.close();
});
