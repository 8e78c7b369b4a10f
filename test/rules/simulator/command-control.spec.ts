import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { FAULTS } from '../../../lib/cli/simulate/faults.js';
import { SimulationHere } from '../../support/application/simulate.js';

/** A request with any headers, which `fetch` does not allow. Returns the status. */
async function statusOf(url: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  const sent = request(url, { method, headers }).end();
  const [response] = await once(sent, 'response');
  response.resume();
  return response.statusCode;
}

describe('the control address of provider-auth simulate', () => {
  it('B25: a chain does what the same methods do', async () => {
    const simulation = await SimulationHere.start();
    await simulation.control('token', { status: 503, for: ['easy', 'sandbox'], next: 2 });
    const asked = [
      await simulation.askForToken({}, 'EASY_PRODUCTION'),
      await simulation.askForToken(),
      await simulation.askForToken(),
      await simulation.askForToken(),
    ];
    expect(asked.map(({ status }) => status)).toEqual([200, 503, 503, 200]);
    const { body } = await simulation.control('token', { for: 'easy', revokeAll: true });
    expect(body).toEqual({ ok: true, result: 2 });
    expect(simulation.lines.filter(({ event }) => event === 'fault')).toMatchObject([
      { by: 'control', chain: 'token.for("easy", "sandbox").next(2).status(503)' },
      { by: 'control', chain: 'token.for("easy").revokeAll()', result: 2 },
    ]);
  });

  it('B25: says what is wrong with a chain, and what is no JSON is no chain', async () => {
    const simulation = await SimulationHere.start();
    const noObject = { error: expect.stringMatching(/^The body must be one JSON object/) };
    const refusals: [target: string, chain: unknown, status: number, body: object][] = [
      ['token', { statu: 503 }, 400, { error: 'There is no verb "statu" for token. Did you mean "status"?' }],
      ['token', '{"hang":true', 400, noObject],
      ['load', { calls: 1 }, 404, { error: 'POST to /token, /api, /simulator, /test-call.' }],
    ];
    for (const [target, chain, status, body] of refusals)
      expect(await simulation.control(target, chain)).toEqual({ status, body });
    for (const place of ['nothing', 'session.spec.ts', 'timeline.js', 'token/x'])
      expect((await fetch(`${simulation.started['control']}/${place}`)).status).toBe(404);
    expect(simulation.lines).toHaveLength(1);
  });

  it('B25: refuses a foreign Host, a foreign Origin, a link from another site and a wrong key', async () => {
    const simulation = await SimulationHere.start();
    const { control, page } = simulation.started as { control: string; page: string };
    const { host, origin, pathname } = new URL(control);
    expect(pathname.length).toBeGreaterThan(16);
    expect(page).toBe(`${control}/`);
    for (const path of ['', '/', '/page.js', '/events', '/state', '/token']) {
      const statuses = [
        await statusOf(control + path, { host: 'rebound.example' }),
        await statusOf(control + path, { host: `rebound.example:${host.split(':')[1]}` }),
        await statusOf(control + path, { origin: 'https://foreign.example' }),
        await statusOf(control + path, { origin: 'null' }),
        await statusOf(control + path, { 'sec-fetch-site': 'cross-site' }),
        await statusOf(`${origin}/0123456789abcdef0123456789abcdef${path}`, {}),
        await statusOf(origin + path, {}),
      ];
      expect({ path, statuses }).toEqual({ path, statuses: [403, 403, 403, 403, 403, 404, 404] });
    }
    expect(await statusOf(`${control}/token`, { origin: 'https://foreign.example' }, 'POST')).toBe(403);
    expect(await statusOf(`${control}/state`, { host: host.replace('127.0.0.1', 'localhost'), origin })).toBe(
      200,
    );
  });
});

describe('the keys of provider-auth simulate', () => {
  it('B25: make each fault', async () => {
    const simulation = await SimulationHere.start();
    for (const { key } of FAULTS) simulation.press(key);
    const faults = simulation.lines.filter(({ event }) => event === 'fault');
    expect(faults).toMatchObject(
      FAULTS.map(({ on }) => ({ by: 'key', chain: expect.stringContaining(`${on}.`) })),
    );
  });

  it('B25: the page is absent with --no-page, and the control address is not', async () => {
    const simulation = await SimulationHere.start(['--no-page'], { terminal: true });
    await simulation.shows(/q\S* quit/);
    expect(simulation.text).not.toContain(' page ');
    const [, control = ''] = /control +(\S+)/.exec(simulation.text) ?? [];
    const headers = { accept: 'text/html' };
    expect((await fetch(control, { headers })).headers.get('content-type')).toBe('application/json');
    expect((await fetch(`${control}/page.js`)).status).toBe(404);
  });

  it('B25: several at once are several keys, an arrow is none, and the terminal is as before at the end', async () => {
    const simulation = await SimulationHere.start();
    simulation.press('\u001b[A');
    simulation.press('5zr');
    expect(simulation.lines.filter(({ event }) => event === 'fault')).toHaveLength(2);
    simulation.press('q');
    expect(await simulation.ended).toBe(0);
    expect(simulation.keys.done).toEqual(['raw true', 'resume', 'raw false', 'pause']);
    expect(simulation.keys.listenerCount('data')).toBe(0);
  });
});
