import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ours, ROADS } from './clients.js';
import { CarelessApp } from './exception-filter.js';
import { live } from './live.js';
import { DECEIVING_SITUATIONS, TOKEN_SITUATIONS } from './situations/token-situations.js';
import { World } from './situations/world.js';

let world: World;
let careless: CarelessApp;
beforeAll(async () => {
  [world, careless] = await Promise.all([World.start(), CarelessApp.start()]);
});
afterAll(() => Promise.all([world.close(), careless.close()]));

const situations = [...TOKEN_SITUATIONS, ...DECEIVING_SITUATIONS].map((one) => [one.name, one] as const);

describe.each(ROADS)('S10 B12: by %s no credential leaks from a token request with', (_, road) => {
  it.each(situations)('%s', async (_, situation) => {
    const witness = await live(situation, world, { road, connect: (prepared) => ours(world, prepared) });
    const [error] = witness.results;
    expect(error).toMatchObject({ name: 'TokenRequestError' });
    expect(witness.leaks()).toEqual([]);
    expect(witness.leaksOf(await careless.showsOf(error), 'exception filter')).toEqual([]);
  });
});
