import { describe, expect, it } from 'vitest';
import type { StepResult } from '../../../lib/cli/step.js';
import { TextReporter } from '../../../lib/cli/text-reporter.js';

const DONE: StepResult = {
  name: 'dns',
  status: 'ok',
  durationMs: 3,
  detail: 'provider.example is 203.0.113.7',
};

/** The output for one step on a terminal or in a pipe. */
function written(isTTY: boolean, variables: NodeJS.ProcessEnv, result: StepResult = DONE): string {
  let text = '';
  const output = { isTTY, write: (more: string) => (text += more) };
  const reporter = new TextReporter(output, variables);
  reporter.begins(result.name);
  reporter.ended(result);
  return text;
}

/** The last line of a report on pairs that work or fail. */
function verdictOn(oks: readonly boolean[], probed: boolean): string {
  let text = '';
  const reporter = new TextReporter({ write: (more: string) => (text += more) }, {});
  const pair = { interface: 'easy', environment: 'sandbox', active: true, steps: [] } as const;
  reporter.end({ ok: oks.every(Boolean), probed, results: oks.map((ok) => ({ ...pair, ok })) });
  return text.trimEnd();
}

describe('TextReporter', () => {
  it('writes one plain line for each step into a pipe', () => {
    expect(written(false, {})).toBe('  ✔ DNS               3 ms  provider.example is 203.0.113.7\n');
  });

  it('shows a spinner on a terminal until the step has ended, then the mark of the step', () => {
    const text = written(true, {});
    expect(text.startsWith('\r\u001b[2K  ⠋ DNS\r\u001b[2K')).toBe(true);
    expect(text).toContain('\u001b[32m✔\u001b[0m');
  });

  it('uses no colour if NO_COLOR is set. An empty NO_COLOR counts as not set', () => {
    expect(written(true, { NO_COLOR: '1' })).not.toContain('\u001b[32m');
    expect(written(true, { NO_COLOR: '' })).toContain('\u001b[32m');
  });

  it('does not erase lines on a dumb terminal', () => {
    expect(written(true, { TERM: 'dumb' })).toBe(written(false, {}));
  });

  it('B29: says only what was checked: without a probe, that pairs give tokens; with a probe, that pairs work', () => {
    expect(verdictOn([true, true], false)).toBe('2 of 2 give a token and reach their API.');
    expect(verdictOn([true, false], false)).toBe('1 of 2 gives a token and reaches its API.');
    expect(verdictOn([true, true], true)).toBe('2 of 2 work.');
  });

  it('says once why consecutive steps are skipped', () => {
    let text = '';
    const reporter = new TextReporter({ write: (more: string) => (text += more) }, {});
    for (const name of ['api-dns', 'api-tcp', 'api-tls'] as const)
      reporter.ended({ name, status: 'skipped', durationMs: 0, detail: 'already checked' });
    reporter.ended({ name: 'probe', status: 'skipped', durationMs: 0, detail: 'not asked for' });
    reporter.pairEnded();
    expect(text.trimEnd().split('\n')).toHaveLength(2);
  });

  it('marks a failure, a warning and a step that had nothing to check', () => {
    expect(written(false, {}, { ...DONE, status: 'failed', advice: 'Check it.' })).toMatch(
      /✘ DNS .*\n {6}→ Check it\.\n/,
    );
    expect(written(false, {}, { ...DONE, advice: 'Look at it.' })).toMatch(/! DNS .*\n {6}→ Look at it\.\n/);
    expect(written(false, {}, { ...DONE, status: 'skipped' })).toMatch(/- DNS/);
  });
});
