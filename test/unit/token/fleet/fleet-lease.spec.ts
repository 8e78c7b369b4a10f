import { describe, expect, it, vi } from 'vitest';
import type { StoreAnswer } from '../../../../lib/config/token-store.js';
import { Secret } from '../../../../lib/secrets/secret.js';
import { MemoryTokenStore } from '../../../../lib/testing/index.js';
import { FleetEntry } from '../../../../lib/token/fleet/fleet-entry.js';
import { FleetLease } from '../../../../lib/token/fleet/fleet-lease.js';
import { GuardedStore } from '../../../../lib/token/fleet/guarded-store.js';
import { FakeClock, settled } from '../../../support/fake-clock.js';
import { CANARY, failureOf, profileOf, tokenOf } from '../../../support/token-fixtures.js';

function given() {
  const clock = new FakeClock();
  const store = new MemoryTokenStore(() => clock.wall());
  const entry = new FleetEntry(profileOf(), new Secret(CANARY.secret));
  const guard = new GuardedStore(store, clock, () => 0.5);
  return {
    clock,
    entry,
    lease: new FleetLease(entry, guard, clock),
    claim: vi.spyOn(store, 'claim'),
    release: vi.spyOn(store, 'release'),
    publish: vi.spyOn(store, 'publish'),
  };
}

describe('a lease', () => {
  it('B9: is prolonged by timers that keep no process alive', async () => {
    const { lease, clock } = given();
    lease.hold(lease.wish(undefined));
    await clock.advance(4_000);
    expect(clock.pending().map(({ kind }) => kind)).toEqual(['background']);
    expect(clock.history.every(({ kind }) => kind === 'background')).toBe(true);
    lease.giveUp();
    expect(clock.pending('background').length).toBeLessThanOrEqual(1);
  });

  it('B10: goes back where it was prolonged too late, when nobody fetches any more', async () => {
    const { lease, clock, claim, release } = given();
    const late: ((answer: StoreAnswer) => void)[] = [];
    claim.mockImplementation(() => new Promise((resolve) => void late.push(resolve)));
    lease.hold(lease.wish(undefined));
    while (late.length === 0) await clock.advance(100);
    await clock.advance(1_000);
    lease.giveUp();
    release.mockClear();

    for (const answer of late) answer({ state: 'leased', now: clock.wall() });
    await settled();

    expect(release).toHaveBeenCalledOnce();
  });

  it.each([
    ['a failure that holds for nobody else', failureOf(), 0],
    ['no failure', undefined, 250],
  ])('B6: goes back without a note where there is %s', async (_, error, ms) => {
    const { lease, release } = given();
    lease.giveUp(error, ms);
    await settled();
    expect(release.mock.calls).toEqual([[expect.objectContaining({ note: undefined })]]);
  });

  it('B6: goes back with a note of whole milliseconds', async () => {
    const { lease, release } = given();
    lease.giveUp(failureOf(), 250.4);
    await settled();
    expect(release.mock.calls[0]?.[0].note).toMatchObject({ ms: 251 });
  });

  it('B10: has nothing to give to a store whose clock it has not seen', async () => {
    const { lease, entry, clock, publish } = given();
    expect(lease.publish(tokenOf(clock, 'one'), entry)).toBeUndefined();
    await settled();
    expect(publish).not.toHaveBeenCalled();
  });
});
