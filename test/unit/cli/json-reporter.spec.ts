import { expect, it } from 'vitest';
import { JsonReporter } from '../../../lib/cli/json-reporter.js';
import { WrittenText } from '../../support/application/doctor-check.js';

it('--json prints one indented object at the end, and nothing else', () => {
  const output = new WrittenText();
  const reporter = new JsonReporter((text) => output.write(text));
  const pair = { interface: 'easy', environment: 'sandbox', active: true } as const;
  const step = { name: 'tls', status: 'skipped', detail: 'x', durationMs: 1, isBehindProxy: true } as const;
  reporter.problems();
  reporter.pair();
  reporter.begins();
  reporter.ended();
  reporter.pairEnded();
  expect(output.text).toBe('');
  reporter.end({ ok: true, probed: false, results: [{ ...pair, ok: true, steps: [step] }] });
  // What only the lines for people need is left out.
  const { isBehindProxy: _, ...shown } = step;
  const report = { ok: true, probed: false, results: [{ ...pair, ok: true, steps: [shown] }] };
  expect(output.text).toBe(`${JSON.stringify(report, null, 2)}\n`);
});
