import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FAULTS } from '../../../lib/cli/simulate/faults.js';
import { type Line, SimulationHere } from '../../support/application/simulate.js';

/** A request with any headers, which `fetch` does not allow. Returns the status. */
async function statusOf(url: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  const sent = request(url, { method, headers }).end();
  const [response] = await once(sent, 'response');
  response.resume();
  return response.statusCode;
}

describe('the control address of provider-auth simulate', () => {
  it('B25: describes its verbs, and a chain does what the same methods do', async () => {
    const simulation = await SimulationHere.start();
    const description = await (
      await fetch(simulation.started['control'], { headers: { accept: 'application/json' } })
    ).json();
    expect(description).toMatchObject({
      verbs: {
        token: expect.arrayContaining([
          { verb: 'revokeAll', role: 'now', value: 'true', does: expect.any(String) },
        ]),
      },
    });
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

  it('B25: removes faults', async () => {
    const simulation = await SimulationHere.start(['--token-status', '503']);
    expect((await simulation.askForToken()).status).toBe(503);
    await simulation.control('simulator', { reset: true });
    expect((await simulation.askForToken()).status).toBe(200);
  });

  it('B25: counts what was asked, for tests in any language', async () => {
    const simulation = await SimulationHere.start();
    await simulation.callApi(await simulation.token());
    await simulation.requests(2);
    expect(await (await fetch(`${simulation.started['control']}/state`)).json()).toMatchObject({
      counts: { tokenRequests: 1, apiRequests: 1, failed: 0 },
      pairs: expect.arrayContaining([
        expect.objectContaining({
          interface: 'easy',
          environment: 'sandbox',
          tokenRequests: 1,
          token: expect.objectContaining({ state: 'valid', lifetimeMs: expect.any(Number) }),
        }),
      ]),
      requests: [{ kind: 'token' }, { kind: 'api' }],
    });
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

  it('B25: the page loads nothing from elsewhere, by its policy', async () => {
    const simulation = await SimulationHere.start();
    const response = await fetch(simulation.started['page'], { headers: { accept: 'text/html' } });
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(await response.text()).not.toMatch(
      /<style|style=|onclick|<script(?! type="module" src="page.js")/,
    );
  });
});

describe('the end of provider-auth simulate', () => {
  it('B25: waits only a moment for callers, and nothing comes after its line', async () => {
    const simulation = await SimulationHere.start();
    await simulation.control('token', { next: 10, hang: true });
    const asked = simulation.askForToken().catch(() => undefined);
    await simulation.control('load', { callers: 2 });
    const left = async () => {
      const state = (await (await fetch(`${simulation.started['control']}/state`)).json()) as Line;
      return state['armed'][0].left;
    };
    await expect.poll(left).toBeLessThanOrEqual(8);
    const before = performance.now();
    expect(await simulation.end()).toBe(0);
    // The last answers have 10 s if only the callers end.
    expect(performance.now() - before).toBeLessThan(9000);
    await asked;
    await pause(100);
    expect(simulation.lines.at(-1)).toMatchObject({ event: 'ended' });
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
});
