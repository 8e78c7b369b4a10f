import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as pauses from '../../../lib/token/pauses.js';
import { ROOT } from '../../support/package/packed-package.js';

/** As the pages write a length: 250 ms, 5 s, 5 minutes. */
function written(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  return ms < 120_000 ? `${ms / 1_000} s` : `${ms / 60_000} minutes`;
}

/** The text of a page on one line. */
function page(name: string): string {
  return readFileSync(join(ROOT, 'docs', name), 'utf8').replaceAll(/\s+/g, ' ');
}

it('B18: docs/requests.md names each pause of the token endpoint, and the pause after a persistent 401', () => {
  const { BACK_OFF, OUTAGE, JITTER, REFUSAL, USELESS_RENEWAL } = pauses;
  const text = page('requests.md');
  for (const sentence of [
    `never exceed ${written(BACK_OFF.longestSumMs)} in all`,
    `after a tenth of the outage so far (${written(OUTAGE.shortestMs)} to ${written(OUTAGE.longestMs)}, ±${JITTER * 100}%)`,
    `about ${written(REFUSAL.firstMs)} at first, doubling up to about ${written(REFUSAL.longestMs)}`,
    `After ${USELESS_RENEWAL.firstMs / 1_000} seconds it tries one again; each further refusal doubles the pause, up to ${written(USELESS_RENEWAL.longestMs)}`,
  ])
    expect(text).toContain(sentence);
  expect(OUTAGE.part).toBe(0.1);
});

it('B10: docs/fleet-protocol.md names each time of the protocol', () => {
  const { LEASE_MS, LONGEST_NOTE_MS, LONGEST_TURN_MS, POLL, READING_MS, STORE_PAUSE } = pauses;
  const [shortest, longest] = [POLL.firstMs * POLL.factor, POLL.longestMs];
  const text = page('fleet-protocol.md');
  for (const sentence of [
    `A lease lasts ${written(LEASE_MS)} and is never extended`,
    `one further request every ${written(LEASE_MS)}`,
    `looks again after ${shortest * (1 - POLL.jitter)} to ${written(longest * (1 + POLL.jitter))}`,
    `only if it had no lease for ${written(LONGEST_TURN_MS)}`,
    `a lease that lasts more than ${written(LEASE_MS + READING_MS)}`,
    `for at most ${written(LONGEST_NOTE_MS.outage)}, or ${written(LONGEST_NOTE_MS.refusal)} if its own failure was a refusal`,
    `leaves the store alone for ${written(STORE_PAUSE.firstMs)} to ${written(STORE_PAUSE.longestMs)}`,
    // With a `timeoutMs` of 5 s, and 3 attempts.
    `between ${written(5_000 + READING_MS)} and ${written(3 * 5_000 + pauses.BACK_OFF.longestSumMs - 5_000 - READING_MS / 2)} by default`,
  ])
    expect(text).toContain(sentence);
});

it('B18: docs/compared.md names the longest pause of an outage', () => {
  const { LONGEST_NOTE_MS, OUTAGE, JITTER } = pauses;
  const text = page('compared.md');
  expect(text).toContain(`up to ${Math.round(100 * OUTAGE.part * (1 + JITTER))}% of the outage`);
  expect(text).toContain(`never longer than ${written(LONGEST_NOTE_MS.outage)}`);
});
