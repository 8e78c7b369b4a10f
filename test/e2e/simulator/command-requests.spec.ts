import { describe, expect, it } from 'vitest';
import { SimulationHere } from '../../support/application/simulate.js';
import { CanaryScanner } from '../../support/secrets/canary-scanner.js';

type Step = (simulation: SimulationHere) => Promise<unknown>;

/** What a client does, and the line that the command prints about it. */
const LINES: Readonly<Record<string, [step: Step, status: number | undefined, reason: string | RegExp]>> = {
  'a token': [(run) => run.token(), 200, 'token issued, lives 3600 s'],
  'an additional field': [(run) => run.askForToken({ scope: 'all' }), 400, 'unsupported field scope'],
  'a field with a strange name': [(run) => run.askForToken({ 'a b\u001b': '' }), 400, 'unsupported field'],
  'a missing secret': [(run) => run.askForToken({ client_secret: '' }), 400, 'missing client_secret'],
  'another grant': [(run) => run.askForToken({ grant_type: 'password' }), 400, 'unsupported grant type'],
  'an unknown client': [(run) => run.askForToken({ client_id: 'another-client' }), 401, 'unknown client id'],
  'a wrong secret': [(run) => run.askForToken({ client_secret: 'wrong' }), 401, 'wrong client secret'],
  'credentials of another pair': [
    (run) =>
      run.askForToken({
        client_id: run.variables['PROVIDER_EASY_PRODUCTION_CLIENT_ID'] ?? '',
        client_secret: run.variables['PROVIDER_EASY_PRODUCTION_CLIENT_SECRET'] ?? '',
      }),
    401,
    'credentials of easy production',
  ],
  'a call with a token': [async (run) => run.callApi(await run.token()), 200, 'valid token'],
  'a call without a token': [(run) => run.callApi(undefined), 401, 'no token'],
  'a call with a token of another pair': [
    async (run) => run.callApi(await run.token('EASY_PRODUCTION')),
    401,
    'token of easy production',
  ],
  'a call with an unknown token': [
    (run) => run.callApi('unknown'),
    401,
    'token was not issued since the start',
  ],
  'a call with a revoked token': [
    async (run) => {
      const token = await run.token();
      await run.control('token', { revokeAll: true });
      return run.callApi(token);
    },
    401,
    'token revoked',
  ],
  'a call with an expired token': [
    async (run) => {
      await run.control('token', { lifetime: 0.001 });
      const token = await run.token();
      await expect.poll(async () => (await run.callApi(token)).status).toBe(401);
    },
    401,
    'token expired',
  ],
  'a fault': [
    async (run) => {
      await run.control('token', { next: 1, status: 503 });
      return run.askForToken();
    },
    503,
    'caused by a fault',
  ],
  'a fault without an answer': [
    async (run) => {
      await run.control('token', { next: 1, reset: true });
      await run.askForToken().catch(() => undefined);
    },
    undefined,
    'caused by a fault: no answer',
  ],
};

describe('the lines of provider-auth simulate', () => {
  it.each(Object.entries(LINES))('B25: say status and why: %s', async (_, [step, status, reason]) => {
    const simulation = await SimulationHere.start();
    await step(simulation);
    await expect
      .poll(() => simulation.lines.findLast(({ event }) => event === 'request'))
      .toMatchObject({ reason });
    const line = simulation.lines.findLast(({ event }) => event === 'request');
    expect(line?.['status']).toBe(status);
    expect(line).toMatchObject({ event: 'request', ok: status === 200, interface: 'easy' });
    expect(Number.isInteger(line?.['durationMs'])).toBe(true);
  });

  it('B25: name a token that was requested too early', async () => {
    const simulation = await SimulationHere.start();
    await simulation.token();
    const token = await simulation.token();
    await simulation.control('api', { next: 1, unauthorized: true });
    await simulation.callApi(token);
    // A token after a 401 is no early token.
    await simulation.token();
    const lines = await simulation.requests(4);
    expect(lines.map(({ reason }) => reason)).toEqual([
      'token issued, lives 3600 s',
      'token issued, lives 3600 s; the last token was still valid',
      'caused by a fault',
      'token issued, lives 3600 s',
    ]);
    expect(lines.at(-1)).toMatchObject({ count: 3, counts: { tokenRequests: 3, early: 1 } });
  });

  it('B25: an unknown address has its line, too', async () => {
    const simulation = await SimulationHere.start();
    await simulation.callApi(undefined, '/../../nothing');
    expect(await simulation.requests(1)).toMatchObject([{ status: 404, reason: 'no such address' }]);
  });

  it.each([true, false])(
    'S10: repeat no credential, no token and no query (on a terminal: %s)',
    async (terminal) => {
      const simulation = await SimulationHere.start([], { terminal });
      const token = await simulation.token();
      await simulation.callApi(token, `/payments/${token}?token=${token}`);
      await simulation.askForToken({ client_secret: 'wrong', [token]: '' });
      await expect.poll(() => simulation.text).toContain('unsupported field');
      const scanner = new CanaryScanner({ token });
      for (const [name, value] of Object.entries(simulation.variables))
        if (name.endsWith('_SECRET')) scanner.add(name, value);
      expect(scanner.scanText(simulation.text)).toEqual([]);
      expect(simulation.text).toContain('/payments/[redacted]?…');
    },
  );

  it('B25: faults from the start, by options', async () => {
    const simulation = await SimulationHere.start([
      '--token-status=503:1',
      '--api-status=418',
      '--lifetime=7.5',
      '--latency=30',
    ]);
    expect((await simulation.askForToken()).status).toBe(503);
    const { json } = await simulation.askForToken();
    expect(json['expires_in']).toBe(7.5);
    expect((await simulation.callApi(String(json['access_token']))).status).toBe(418);
    for (const { durationMs } of await simulation.requests(3)) expect(durationMs).toBeGreaterThanOrEqual(29);
    expect(simulation.lines.filter(({ event }) => event === 'fault')).toMatchObject([
      { by: 'option', chain: 'token.next(1).status(503)' },
      { by: 'option', chain: 'api.status(418)' },
    ]);
  });
});
