import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byHttpService, plain } from './clients.js';
import { CarelessApp } from './exception-filter.js';
import { live } from './live.js';
import { API_SITUATIONS } from './situations/api-situations.js';
import type { Situation } from './situations/situation.js';
import { TOKEN_SITUATIONS } from './situations/token-situations.js';
import { World } from './situations/world.js';
import type { Witness } from './witness.js';

let world: World;
let careless: CarelessApp;
beforeAll(async () => {
  [world, careless] = await Promise.all([World.start(), CarelessApp.start()]);
});
afterAll(() => Promise.all([world.close(), careless.close()]));

function livePlainly(situation: Situation): Promise<Witness> {
  return live(situation, world, {
    road: byHttpService,
    connect: (prepared) => plain(world, prepared),
  });
}

/** The situations in which a result of a plain client does not show this secret. */
async function cleanOf(canary: string, situations: readonly Situation[]): Promise<string[]> {
  const clean: string[] = [];
  for (const situation of situations) {
    const leaks = (await livePlainly(situation)).leaksOfResultsInReach();
    if (!leaks.some((leak) => leak.canary.startsWith(canary))) clean.push(situation.name);
  }
  return clean;
}

/** Those that print nothing of a value but its class, its message or a few chosen members. */
const BLIND = ['String', 'format %s', 'stack', 'pino {res}'];

describe('B12: a plain interceptor and a plain token request, to prove that these eyes see', () => {
  it('leak the token in at least 39 of the 41 situations', async () => {
    expect(API_SITUATIONS).toHaveLength(41);
    const clean = await cleanOf('token', API_SITUATIONS);
    expect(clean.length, `clean: ${clean.join(', ')}`).toBeLessThanOrEqual(2);
  });

  it('leak the client secret in every failure of the token request', async () => {
    expect(await cleanOf('client secret', TOKEN_SITUATIONS)).toEqual([]);
  });

  it('leak the token and the secret through each way to print a failure', async () => {
    for (const [canary, situation] of [
      ['token', API_SITUATIONS.find(({ name }) => name === 'status 500')],
      ['client secret', TOKEN_SITUATIONS.find(({ name }) => name === 'ECONNREFUSED')],
    ] as const) {
      if (situation === undefined) throw new Error('There is no such situation.');
      const witness = await livePlainly(situation);
      expect(witness.waysThatShow(canary).blind).toEqual(BLIND);
      const shown = witness.leaksOf(await careless.showsOf(witness.results[0]), 'exception filter');
      expect(shown.map((leak) => leak.canary.split(' 0')[0])).toContain(canary);
    }
  });
});
