import { expect, it } from 'vitest';
import { jsonOf } from '../../../lib/cli/report.js';

it('--json prints one indented object, without what only the lines for people need', () => {
  const pair = { interface: 'easy', environment: 'sandbox', active: true } as const;
  const step = { name: 'tls', status: 'skipped', detail: 'x', durationMs: 1, isBehindProxy: true } as const;
  const text = jsonOf({ ok: true, probed: false, results: [{ ...pair, ok: true, steps: [step] }] });
  const { isBehindProxy: _, ...shown } = step;
  const report = { ok: true, probed: false, results: [{ ...pair, ok: true, steps: [shown] }] };
  expect(text).toBe(JSON.stringify(report, null, 2));
});
