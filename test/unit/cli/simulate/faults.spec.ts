import { expect, it } from 'vitest';
import { chainOf, chainOfStatus, FAULTS, labelOf } from '../../../../lib/cli/simulate/faults.js';
import { QUIT } from '../../../../lib/cli/simulate/keyboard.js';
import { codeOf } from '../../../../lib/cli/simulate/verbs.js';
import { tableRowsOf } from '../../../support/package/manual-pages.js';

it('B25: each fault has its own key and label', () => {
  expect(new Set(FAULTS.map(({ key }) => key)).size).toBe(FAULTS.length);
  expect(new Set(FAULTS.map(({ label }) => label)).size).toBe(FAULTS.length);
  expect(FAULTS.filter(({ key }) => key.length !== 1 || QUIT.has(key))).toEqual([]);
});

it('B25: the keys, and the verbs that do the same, are those of their page', async () => {
  const rows = await tableRowsOf(['docs/simulate.md']);
  const faults = FAULTS.map((one) => [one.key, one.label, one.does, `\`${codeOf(one.on, chainOf(one))}\``]);
  const quit = ['q', 'quit', 'the simulator ends', ''];
  expect(rows.filter(([key]) => key?.length === 1)).toEqual([...faults, quit]);
  expect([...QUIT]).toEqual(['q', '\u0003', '\u0004']);
});

it('B25: a chain of a button has its label, whatever its pair and number, and others have their code', () => {
  expect(labelOf('token', { for: ['easy', 'sandbox'], next: 7, status: 503 })).toBe('503');
  expect(labelOf('api', { status: 503 })).toBe('status(503)');
  expect(labelOf('simulator', { reset: true })).toBe('clear');
  expect(labelOf('token', { lifetime: [2.5, { expiresIn: 9 }] })).toBe('lifetime(2.5, {…})');
  expect(labelOf('token', { retryAfter: [3, 429], after: 500 })).toBe('after(500).retryAfter(3, 429)');
});

it.each([
  ['200', { status: 200 }],
  ['599:999999', { next: 999_999, status: 599 }],
  ...['199', '600', '5030', 'x503', '503:', '503:0', '503:2x', '503:1000000', ''].map((text) => [
    text,
    undefined,
  ]),
] as [string, object | undefined][])('B25: a status with a count, as an option: %s', (text, chain) => {
  expect(chainOfStatus(text)).toEqual(chain);
});
