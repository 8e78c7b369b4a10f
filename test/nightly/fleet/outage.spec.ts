import { setTimeout as passed } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LEASE_MS } from '../../../lib/token/pauses.js';
import { Fleet } from '../../support/fleet/fleet.js';

const SIZE = 16;

it(`B18: an outage of 5 s costs ${SIZE} processes at most 20 token requests and one for each of them`, async () => {
  const fleet = await Fleet.start({ size: SIZE });
  const { provider } = fleet;
  provider.token.status(503);
  const since = Date.now() + 5_000;
  const calling = fleet.all('callAllTheTime', { forMs: 11_000, everyMs: 25, since });
  await passed(since - Date.now());
  // Not those of a timer that came late: on a busy machine the outage lasts longer than planned.
  const requests = provider.tokenRequests.filter(({ at }) => at.getTime() <= since).length;
  const lastFailed = provider.tokenRequests.at(-1)?.at.getTime() ?? NaN;
  provider.reset();
  // On a busy machine, later than planned. Then a call may have begun before.
  const ended = Date.now();
  const records = await calling;
  expect(requests).toBeLessThanOrEqual(20 + SIZE);
  const recovered = records.map(({ firstGoodSince = Infinity }) => firstGoodSince);
  const recoveredMs = Math.max(ended, ...recovered) - ended;
  expect(recoveredMs).toBeLessThan(6_000);
  // One, unless the machine is so slow that the lease of the first process ends before it has a token. All these leases began
  // after the last failed request. A process that had no call in the outage has not failed itself, and asks once.
  const untried = records.filter(({ failed }) => failed === 0).length;
  const last = provider.tokenRequests.at(-1)?.at.getTime() ?? NaN;
  expect(provider.tokenRequests.length).toBeLessThanOrEqual(
    1 + untried + Math.floor((last - lastFailed) / LEASE_MS),
  );
});
