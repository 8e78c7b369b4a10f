import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ProviderSimulator } from '../../lib/testing/index.js';
import { Fleet } from '../support/fleet/fleet.js';
import type { FleetMember } from '../support/fleet/fleet-member.js';
import { leasesSince } from '../support/fleet/leases.js';
import type { ReportedToken } from '../support/fleet/fleet-worker.js';
import { RedisServer } from '../support/fleet/redis-server.js';

const SIZE = 6;
/** The shortest time for which a process leaves the token endpoint alone after a refusal. */
const REFUSAL_MS = 4_000;

describe('B10: the process that fetches for the others', () => {
  let redis: RedisServer;
  let fleet: Fleet | undefined;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(async () => {
    await fleet?.close();
    await redis.close();
  });

  /** The same processes for each test, because a machine needs seconds to start them. Each test has its own provider. */
  async function givenProcesses(timeoutMs = 20_000) {
    const provider = await ProviderSimulator.start();
    onTestFinished(() => provider.close());
    const plan = { size: SIZE, provider, redisPort: redis.port, token: { timeoutMs } };
    if (fleet) await fleet.openAgain(plan);
    fleet ??= await Fleet.start(plan);
    const [first, ...others] = fleet.members;
    if (first === undefined) throw new Error('The fleet has no process.');
    return { provider, fleet, first, others };
  }

  it('F13: B6: leaves a note about a dead token endpoint, and all have a token once the endpoint works again', async () => {
    const { provider, fleet, first, others } = await givenProcesses();
    provider.token.status(503);
    let fail: (() => void) | undefined;
    provider.token.next().handler((_, response) => {
      fail = () => void response.writeHead(503).end();
    });
    const admin = await redis.connected();
    const before = await claimsOf(admin);
    const failing = Promise.all(fleet.members.map((member) => failureOf(member)));
    // Each process looks once for the store's clock, and then claims the lease. So about all of them wait here first.
    await expect.poll(async () => (await claimsOf(admin)) - before, POLL).toBeGreaterThanOrEqual(2 * SIZE);
    // The token request may come after these claims. Without its answer, all would wait until it times out.
    await expect.poll(() => fail, POLL).toBeDefined();
    fail?.();
    for (const failure of await failing) expect(failure).toContain('status 503');
    // The first renewal has three attempts, and that of a process which finds its note has one. On a slow machine a lease may end
    // early, or a process may look only when the note has ended: then that process has three, too.
    expect(provider.tokenRequests.length).toBeLessThan(3 * SIZE);
    provider.reset();
    await expect.poll(() => failureOf(first), POLL).toBe('no failure');
    expect(provider.tokenRequests).toHaveLength(1);
    for (const member of others) await expect.poll(() => failureOf(member), POLL).toBe('no failure');
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it('F5, F6: B10: may be slow: after 2 s another process asks, and all have its token', async () => {
    const { provider, fleet } = await givenProcesses();
    provider.token.next().delay(15_000);
    const started = performance.now();
    const tokens = await fleet.all('get');
    expectOneRequestInEachLease(provider, leasesSince(started), tokens);
    for (const { tookMs } of tokens) expect(tookMs).toBeLessThan(13_000);
  });

  it('F13: B7: a refusal of one process decides nothing for the others: each process asks once itself', async () => {
    const { provider, fleet } = await givenProcesses();
    provider.token.refuse('invalid_client');
    const started = performance.now();
    const failures = await Promise.all(fleet.members.map((member) => failureOf(member)));
    expect(provider.tokenRequests.length).toBeLessThanOrEqual(SIZE);
    for (const failure of failures) expect(failure).toContain('status 401 (invalid_client)');
    await Promise.all(fleet.members.map((member) => failureOf(member)));
    // On a slow machine the refusal of the first process may have ended already.
    const refusals = 1 + Math.floor((performance.now() - started) / REFUSAL_MS);
    expect(provider.tokenRequests.length).toBeLessThanOrEqual(refusals * SIZE);
  });

  // The last test, because the fleet has one process less afterwards.
  it('B10: may be killed while it fetches: another process fetches, long before the others stop waiting', async () => {
    const { provider, first, others } = await givenProcesses();
    provider.token.next().hang();
    const started = performance.now();
    const doomed = first.ask('get').catch((error: unknown) => error);
    await expect.poll(() => provider.tokenRequests.length, POLL).toBe(1);
    const waiting = Promise.all(others.map((member) => member.ask('get')));
    await first.kill();
    const tokens = await waiting;
    await doomed;
    expectOneRequestInEachLease(provider, leasesSince(started), tokens);
    for (const { tookMs } of tokens) expect(tookMs).toBeLessThan(20_000);
  });
});

/** The first request gets no answer in time. The token comes from the second request, and further leases need a slow machine. */
function expectOneRequestInEachLease(
  { tokenRequests }: ProviderSimulator,
  leases: number,
  tokens: readonly ReportedToken[],
): void {
  expect(tokenRequests.length).toBeGreaterThanOrEqual(2);
  expect(tokenRequests.length).toBeLessThanOrEqual(leases);
  const different = new Set(tokens.map(({ fingerprint }) => fingerprint)).size;
  expect(different).toBeLessThan(tokenRequests.length);
}

/** How many claims and other scripts this Redis has run. */
async function claimsOf(admin: Redis): Promise<number> {
  const [, calls = '0'] = /cmdstat_eval:calls=(\d+)/.exec(await admin.info('commandstats')) ?? [];
  return Number(calls);
}

async function failureOf(member: FleetMember): Promise<string> {
  try {
    await member.ask('get');
    return 'no failure';
  } catch (error) {
    return error instanceof Error ? error.message : 'no error';
  }
}

const POLL = { timeout: 30_000, interval: 50 };
