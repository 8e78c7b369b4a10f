import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ours, ROADS, type Transport } from './clients.js';
import { CarelessApp } from './exception-filter.js';
import { live } from './live.js';
import { API_SITUATIONS } from './situations/api-situations.js';
import { REFLECTING_SITUATIONS } from './situations/reflecting-situations.js';
import { World } from './situations/world.js';

/** Every situation, by every road, on one transport. */
export function nothingLeaksOn(transport: Transport): void {
  let world: World;
  let careless: CarelessApp;
  beforeAll(async () => {
    [world, careless] = await Promise.all([World.start(), CarelessApp.start()]);
  });
  afterAll(() => Promise.all([world.close(), careless.close()]));

  const situations = [...API_SITUATIONS, ...REFLECTING_SITUATIONS].map((one) => [one.name, one] as const);

  describe.each(ROADS)('by %s nothing leaks from', (_, road) => {
    it.each(situations)('%s', async (_, situation) => {
      const witness = await live(situation, world, {
        road,
        progress: transport.offersAll,
        connect: (prepared) => ours(world, prepared, { transport, warm: true }),
      });
      expect(witness.leaks()).toEqual([]);
      for (const result of witness.results) {
        expect(witness.leaksOf(await careless.showsOf(result), 'exception filter')).toEqual([]);
      }
    });
  });
}
