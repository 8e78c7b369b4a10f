import { readFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from '../../../lib/index.js';
import { consult } from '../../support/application/doctor.js';
import { type Line, SimulationHere, SOON } from '../../support/application/simulate.js';
import { bootWith } from '../../support/application/boot.js';

async function stateOf({ started }: SimulationHere): Promise<Line> {
  return (await (await fetch(`${started['control']}/state`)).json()) as Line;
}

async function pairOf(simulation: SimulationHere, name: string): Promise<Line> {
  return (await stateOf(simulation))['pairs'].find((pair: Line) => pair['name'] === name);
}

/** An application with the settings of the command. */
async function applicationOf({ variables }: SimulationHere, changed: Readonly<Record<string, string>> = {}) {
  Logger.overrideLogger(false);
  for (const [name, value] of Object.entries({ ...variables, ...changed })) vi.stubEnv(name, value);
  const accounts = JSON.parse(variables['SIMULATED_ACCOUNTS'] ?? '{}');
  const { app } = await bootWith([
    ProviderAuthModule.forRoot({
      ...providerAuthConfig(),
      accounts: (account, pair) => accounts[account]?.[pair.interface]?.[pair.environment],
    }),
  ]);
  return app.get(EasyHttpService);
}

describe('the state of provider-auth simulate', () => {
  it('B25: after a revocation, one sentence says what happened to the refused call, and the pair has its numbers', async () => {
    const simulation = await SimulationHere.start();
    const easy = await applicationOf(simulation);
    await easy.axiosRef.get('/payments');
    await simulation.control('token', { revokeAll: true });
    await easy.axiosRef.get('/payments');
    await simulation.requests(5);
    const { refusals, minute, counts, requests, actions } = await stateOf(simulation);
    expect(refusals).toMatchObject([
      {
        name: 'easy sandbox',
        level: 'good',
        text: expect.stringMatching(
          /^1 call refused \(token revoked\) → 1 token request → 1 sent again, in \d+ ms\. Your caller noticed nothing\.$/,
        ),
      },
    ]);
    expect(counts).toEqual({
      tokenRequests: 2,
      apiRequests: 3,
      failed: 1,
      failedTokenRequests: 0,
      failedCalls: 1,
      recovered: 1,
    });
    const sum = (name: string) => minute.reduce((all: number, second: Line) => all + second[name], 0);
    expect(['tokenRequests', 'calls', 'failed', 'sentAgain', 'faults'].map(sum)).toEqual([2, 3, 1, 1, 1]);
    expect(requests.at(-1)).toMatchObject({ resendOf: requests.at(-3).id, ok: true });
    expect(actions).toMatchObject([
      {
        id: 3,
        by: 'control',
        on: 'token',
        label: 'revoke',
        body: '{"revokeAll":true}',
        chain: 'token.revokeAll()',
      },
    ]);
    expect(await pairOf(simulation, 'easy sandbox')).toMatchObject({
      tokenRequests: 2,
      recovered: 1,
      failure: { kind: 'api', text: 'call: 401, token revoked', isOver: true },
    });
  });

  it('B25: a failure of token requests is not over when a call works', async () => {
    const simulation = await SimulationHere.start();
    const token = await simulation.token();
    await simulation.control('token', { next: 1, status: 503 });
    await simulation.askForToken();
    await simulation.callApi(token);
    await simulation.callApi(undefined);
    await simulation.callApi(token);
    await simulation.requests(5);
    const failing = { kind: 'token', text: 'token request: 503, caused by a fault', isOver: false };
    expect((await pairOf(simulation, 'easy sandbox'))['failure']).toMatchObject(failing);
    await simulation.token();
    await simulation.requests(6);
    expect((await pairOf(simulation, 'easy sandbox'))['failure']).toMatchObject({
      text: 'call: 401, no token',
      isOver: true,
    });
    expect((await stateOf(simulation))['refusals']).toEqual([]);
  });

  it('B25 B29: calls to an address that no pair has are a row of failures, until a call arrives', async () => {
    const simulation = await SimulationHere.start();
    await simulation.get(`${simulation.started['origin']}/wrong/base`);
    await simulation.requests(1);
    const failure = { text: expect.stringMatching(/^call: 404/), isOver: false };
    expect(await pairOf(simulation, 'unknown address')).toMatchObject({
      apiRequests: 1,
      token: { state: 'none' },
      failure,
    });
    await simulation.callApi(await simulation.token());
    await simulation.requests(3);
    expect((await pairOf(simulation, 'unknown address'))['failure']).toMatchObject({ isOver: true });
  });

  it('B25: a token that is sent to the address of another pair is renewed by its own client', async () => {
    const simulation = await SimulationHere.start();
    const baseUrl = simulation.variables['PROVIDER_ORIGINATIONS_SANDBOX_BASE_URL'] ?? '';
    const easy = await applicationOf(simulation, {
      PROVIDER_EASY_SANDBOX_BASE_URL: baseUrl,
      PROVIDER_ORIGINATIONS_SANDBOX_BASE_URL: `${baseUrl}/other`,
    });
    await expect(easy.axiosRef.get('/payments')).rejects.toThrow('401');
    await simulation.requests(4);
    await expect
      .poll(async () => (await stateOf(simulation))['refusals'], SOON)
      .toMatchObject([
        {
          name: 'easy sandbox',
          text: '1 call refused (token of easy sandbox) → 1 token request → 1 sent again. 1 caller got an error.',
        },
      ]);
  });

  it('B25 B33: an account has its own numbers and its own sentence', async () => {
    const simulation = await SimulationHere.start(['--accounts', '1']);
    const easy = await applicationOf(simulation);
    const merchant = easy.for({ account: 'merchant-1' }).axiosRef;
    await easy.axiosRef.get('/own');
    await merchant.get('/of-merchant');
    await simulation.control('token', { revokeAll: true });
    await merchant.get('/of-merchant');
    await simulation.requests(7);
    expect(await pairOf(simulation, 'easy sandbox')).toMatchObject({
      tokenRequests: 1,
      apiRequests: 1,
      token: { state: 'revoked' },
    });
    expect(await pairOf(simulation, 'easy sandbox merchant-1')).toMatchObject({
      tokenRequests: 2,
      apiRequests: 3,
      recovered: 1,
      token: { state: 'valid' },
    });
    expect((await stateOf(simulation))['refusals']).toMatchObject([{ name: 'easy sandbox merchant-1' }]);
  });

  it('B25: keeps failures and token requests apart from the crowd of calls that worked', async () => {
    const simulation = await SimulationHere.start();
    const token = await simulation.token();
    await simulation.callApi(undefined, '/refused');
    for (let count = 0; count < 120; count += 1) await simulation.callApi(token);
    await simulation.requests(122);
    const { requests } = await stateOf(simulation);
    expect(requests).toHaveLength(102);
    expect(requests.slice(0, 3)).toMatchObject([{ kind: 'token' }, { path: '/refused' }, { count: 22 }]);
  });

  it('B25: shows what is left of each armed fault, and one can be taken back', async () => {
    const simulation = await SimulationHere.start(['--token-status', '503:2']);
    await simulation.control('api', { for: ['easy', 'sandbox'], path: '/a', hang: true });
    const armed = async () => (await stateOf(simulation))['armed'];
    expect(await armed()).toMatchObject([
      { on: 'token', label: '503', chain: 'token.next(2).status(503)', left: 2 },
      { on: 'api', label: 'path("/a").hang()', interface: 'easy', environment: 'sandbox' },
    ]);
    await simulation.askForToken();
    const [counted, standing] = await armed();
    expect(counted).toMatchObject({ left: 1 });
    expect(standing).not.toHaveProperty('left');
    await simulation.askForToken();
    expect(await armed()).toEqual([standing]);
    const takeBack = { takeBack: standing.id };
    expect((await simulation.control('simulator', takeBack)).body).toEqual({ ok: true, result: true });
    expect((await simulation.control('simulator', takeBack)).body).toEqual({ ok: true, result: false });
    expect((await simulation.callApi(await simulation.token(), '/a')).status).toBe(200);
  });

  it('B25: the doctor counts for nothing, and leaves the application its token', async () => {
    const simulation = await SimulationHere.start();
    const easy = await applicationOf(simulation);
    await easy.axiosRef.get('/payments');
    const fingerprint = async () => (await pairOf(simulation, 'easy sandbox'))['token'].fingerprint;
    const before = await fingerprint();
    const ca = simulation.variables['PROVIDER_EASY_SANDBOX_CA_FILE'] ?? '';
    const doctor = ['--interface', 'easy', '--environment', 'sandbox', '--probe', '/payments'];
    const provider = { ca: readFileSync(ca, 'utf8'), env: () => simulation.variables };
    expect((await consult(provider, { args: doctor })).code).toBe(0);
    await easy.axiosRef.get('/payments');
    expect(await fingerprint()).toBe(before);
    const seen = await simulation.requests(5);
    expect(seen.at(-1)?.['counts']).toMatchObject({ tokenRequests: 1, apiRequests: 2, failed: 0 });
    expect(
      seen.filter(({ reason }) => String(reason).endsWith('from the doctor, not counted')),
    ).toMatchObject([{ kind: 'token' }, { kind: 'api' }]);
  });

  it('B25: a new session begins at 0, without faults, and tokens stay valid', async () => {
    const simulation = await SimulationHere.start(['--token-status', '503:1']);
    await simulation.control('api', { hang: true });
    await simulation.askForToken();
    const token = await simulation.token();
    await simulation.requests(2);
    simulation.press('n');
    expect(simulation.lines.at(-2)).toMatchObject({ event: 'cleared', counts: { tokenRequests: 0 } });
    expect((await simulation.callApi(token)).status).toBe(200);
    await simulation.requests(3);
    const { counts, armed, requests, refusals, pairs, minute } = await stateOf(simulation);
    expect([pairs.length, minute.filter((second: Line) => second['faults'] > 0)]).toEqual([4, []]);
    expect({ counts, armed, refusals }).toMatchObject({
      counts: { tokenRequests: 0, apiRequests: 1, failed: 0 },
      armed: [],
      refusals: [],
    });
    expect(requests).toHaveLength(1);
  });

  it('B25: a page gets the whole state at once and after each change, and hears of the end', async () => {
    const simulation = await SimulationHere.start();
    const { body, headers } = await fetch(`${simulation.started['control']}/events`);
    expect(headers.get('content-type')).toBe('text/event-stream');
    let text = '';
    const read = (async () => {
      for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
    })();
    await expect.poll(() => text, SOON).toMatch(/^event: state\ndata: \{.*"requests":\[\].*\n\n$/);
    await simulation.token();
    await expect.poll(() => text, SOON).toMatch(/\n\nevent: state\n.*"requests":\[\{.*\n\n$/);
    await simulation.end();
    await read;
    expect(text).toMatch(/\n\nevent: ended\ndata: \{\}\n\n$/);
    const states = text.match(/^data: .*$/gm) ?? [];
    expect(new Set(states).size).toBe(states.length);
  });
});

it('B25: a test call goes through this package, with one token for all of them', async () => {
  const simulation = await SimulationHere.start();
  await simulation.token('ORIGINATIONS_SANDBOX');
  const call = async () => (await simulation.control('test-call', {})).body;
  expect(await call()).toEqual({ ok: true, result: 200 });
  expect(await call()).toEqual({ ok: true, result: 200 });
  expect(await simulation.requests(4)).toMatchObject([
    { kind: 'token' },
    { kind: 'token' },
    { kind: 'api', interface: 'originations', path: '/test-call' },
    { kind: 'api', counts: { failed: 0 } },
  ]);
});

it('B25: a test call says what its caller gets', async () => {
  const simulation = await SimulationHere.start(['--token-status', '401']);
  const { body } = await simulation.control('test-call', {});
  expect(body['result']).toMatch(/client ?id|secret|credentials|401/i);
});

it('B25: a test call that gets no answer does not hold up the end, and nothing comes after the last line', async () => {
  const simulation = await SimulationHere.start();
  await simulation.control('api', { next: 1, hang: true });
  const call = simulation.control('test-call', {}).catch(() => undefined);
  await expect.poll(async () => (await stateOf(simulation))['armed'], SOON).toEqual([]);
  expect(await simulation.end()).toBe(0);
  await call;
  expect(simulation.lines.at(-1)).toMatchObject({ event: 'ended' });
});
