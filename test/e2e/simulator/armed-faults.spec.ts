import { describe, expect, it } from 'vitest';
import { type Line, SimulationHere } from '../../support/application/simulate.js';

async function stateOf({ started }: SimulationHere): Promise<Line> {
  return (await (await fetch(`${started['control']}/state`)).json()) as Line;
}

async function armedOf(simulation: SimulationHere) {
  return (await stateOf(simulation))['armed'];
}

describe('the armed faults of provider-auth simulate', () => {
  it('B25: show what is left of each', async () => {
    const simulation = await SimulationHere.start(['--token-status', '503:3']);
    await simulation.control('api', { for: ['easy', 'sandbox'], path: '/a', hang: true });
    expect(await armedOf(simulation)).toMatchObject([
      { on: 'token', label: '503', code: 'token.next(3).status(503)', left: 3 },
      { on: 'api', label: 'path "/a", hang', interface: 'easy', environment: 'sandbox' },
    ]);
    await simulation.askForToken();
    const [counted, standing] = await armedOf(simulation);
    expect(counted).toMatchObject({ left: 2 });
    expect(standing).not.toHaveProperty('left');
    await simulation.askForToken();
    await simulation.askForToken();
    const [used, waiting] = await armedOf(simulation);
    expect(used.until).toBeGreaterThanOrEqual(used.from);
    expect(waiting).not.toHaveProperty('until');
  });

  it('B25: can be taken back one by one', async () => {
    const simulation = await SimulationHere.start(['--token-status', '503', '--api-status', '500']);
    const [{ id }] = await armedOf(simulation);
    expect((await simulation.askForToken()).status).toBe(503);
    expect((await simulation.control('simulator', { takeBack: id })).body).toEqual({
      ok: true,
      result: true,
    });
    expect((await simulation.callApi(await simulation.token())).status).toBe(500);
    expect((await simulation.control('simulator', { takeBack: id })).body).toEqual({
      ok: true,
      result: false,
    });
    expect(await armedOf(simulation)).toMatchObject([{ id, until: expect.any(Number) }, { label: '500' }]);
  });
});
