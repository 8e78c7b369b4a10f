import { expect, it } from 'vitest';
import { HeldAnswers } from '../../../../lib/testing/simulator/held-answers.js';
import { settled } from '../../../support/token/fake-clock.js';

it('held answers report the first arrival, and wait until they are released', async () => {
  const held = new HeldAnswers();
  const events: string[] = [];
  void held.arrived.then(() => events.push('arrived'));
  await settled();
  expect(events).toEqual([]);
  void held.waitForRelease().then(() => events.push('released'));
  await settled();
  expect(events).toEqual(['arrived']);
  held.release();
  await settled();
  expect(events).toEqual(['arrived', 'released']);
  await held.waitForRelease();
});
