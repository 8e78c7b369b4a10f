import { expect, it } from 'vitest';
import { SimulationHere } from '../../support/application/simulate.js';
import { CanaryScanner } from '../../support/secrets/canary-scanner.js';

type Step = (simulation: SimulationHere) => Promise<unknown>;

/** A token request that this fault answers. */
const after = (fault: object) => async (run: SimulationHere) => {
  await run.control('token', { next: 1, ...fault });
  await run.askForToken().catch(() => undefined);
};

/** What a client does, and the line that the command prints about it. */
const LINES: Readonly<Record<string, [step: Step, status: number | undefined, reason: string]>> = {
  'a token': [(run) => run.token(), 200, 'token issued, lives 3600 s'],
  'a fault without an answer': [after({ reset: true }), undefined, 'caused by a fault: no answer'],
  'half an answer': [after({ reset: 'mid-body' }), 200, 'caused by a fault: the answer broke off'],
  'a fault of a token': [after({ lifetime: 5 }), 200, 'caused by a fault: token issued, lives 5 s'],
};

it.each(Object.entries(LINES))('B25: the lines say status and why: %s', async (_, [step, status, reason]) => {
  const simulation = await SimulationHere.start();
  await step(simulation);
  await expect
    .poll(() => simulation.lines.findLast(({ event }) => event === 'request'))
    .toMatchObject({ reason });
  const line = simulation.lines.findLast(({ event }) => event === 'request');
  expect(line?.['status']).toBe(status);
  const ok = status === 200 && !reason.endsWith('broke off');
  expect(line).toMatchObject({ event: 'request', ok, interface: 'easy' });
  expect(Number.isInteger(line?.['durationMs'])).toBe(true);
});

it.each([true, false])(
  'S10: the lines repeat no credential, no token and no query (on a terminal: %s)',
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
