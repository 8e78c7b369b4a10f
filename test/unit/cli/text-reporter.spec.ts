import { describe, expect, it } from 'vitest';
import type { Report, StepName, StepResult } from '../../../lib/cli/report.js';
import { TextReporter } from '../../../lib/cli/text-reporter.js';
import { WrittenText } from '../../support/application/doctor-check.js';

const DONE: StepResult = { name: 'connection', status: 'ok', durationMs: 3, detail: 'connected' };

/** What the calls write into a pipe, or on a terminal with colours. */
function written(
  call: (reporter: TextReporter) => void,
  isTTY = false,
  variables: NodeJS.ProcessEnv = {},
): string {
  const output = new WrittenText(isTTY);
  call(new TextReporter(output, variables));
  return output.text;
}

/** The output for one step. */
const step = (isTTY: boolean, variables: NodeJS.ProcessEnv, result: Partial<StepResult> = {}): string =>
  written(
    (reporter) => {
      const all = { ...DONE, ...result };
      reporter.begins(all.name);
      reporter.pair({ ...PAIR, ok: true, steps: [all] });
    },
    isTTY,
    variables,
  ).replace('easy sandbox active\n', '');

const skip = (name: StepName, detail = 'already checked'): StepResult => ({
  name,
  status: 'skipped',
  durationMs: 0,
  detail,
});

const PAIR = { interface: 'easy', environment: 'sandbox', active: true } as const;

describe('the lines of the doctor', () => {
  it.each<[StepName, string]>([
    ['configuration', '  ✔ configuration            fine\n'],
    ['api-connection', '  ✔ API connection    12 ms  fine\n'],
  ])('are plain in a pipe, and stand under each other: %s', (name, line) => {
    expect(step(false, {}, { name, durationMs: 12, detail: 'fine' })).toBe(`${line}\n`);
    expect(step(true, { TERM: 'dumb' }, { name, durationMs: 12, detail: 'fine' })).toBe(`${line}\n`);
  });

  it('B28: show the running step on a terminal, and replace it', () => {
    expect(step(true, { NO_COLOR: '1' })).toBe(
      '\r\u001b[2K  … connection\r\u001b[2K  ✔ connection         3 ms  connected\n\n',
    );
    expect(step(true, { NO_COLOR: '' })).toContain('\u001b[32m✔\u001b[0m');
  });

  it('B29: mark a failure and a warning, with what to do and colours, and no duration of what waits for no server', () => {
    const output = new WrittenText(true);
    const reporter = new TextReporter(output, {});
    reporter.problems([{ path: 'x', message: 'is empty.' }]);
    const steps: StepResult[] = [
      { ...DONE, status: 'failed', advice: 'Check it.' },
      { ...DONE, name: 'lifetime', status: 'skipped' },
      { ...DONE, name: 'claims', advice: 'Compare it.' },
      { ...DONE, name: 'lifetime' },
    ];
    reporter.pair({ ...PAIR, host: 'auth.example', ok: false, steps });
    expect(output.marked).toBe(`<1 configuration>
  <31 ✘> x  is empty.

\r\u001b[2K<1 easy sandbox> <2 active, auth.example>
  <31 ✘> connection     <2     3 ms>  connected
      <33 →> Check it.
  <2 -> lifetime       <2         >  connected
  <33 !> claims         <2         >  connected
      <33 →> Compare it.
  <32 ✔> lifetime       <2         >  connected

`);
  });

  it('say why a step is skipped, and nothing of a step after one that failed', () => {
    const steps = [
      { ...skip('connection', 'no secret'), blocked: true } as const,
      skip('lifetime'),
      skip('probe', 'not asked for'),
    ];
    const lines = written((reporter) => reporter.pair({ ...PAIR, ok: true, steps }));
    expect(lines.replaceAll(/ +/g, ' ')).toBe(
      'easy sandbox active\n - lifetime already checked\n - probe not asked for\n\n',
    );
  });

  it.each([
    [{ host: 'auth.example' }, 'easy sandbox active, auth.example'],
    [{ active: false }, 'easy sandbox'],
    [{ provider: 'warehouse' }, 'warehouse easy sandbox active'],
  ])('B24: begin with the name of a pair: %j', (head, line) => {
    expect(written((reporter) => reporter.pair({ ...PAIR, ok: true, steps: [], ...head }))).toBe(
      `${line}\n\n`,
    );
  });

  it('C4: list the problems of the configuration by variable, or by path if there is none', () => {
    const problems = [
      { path: 'x.y', env: 'A_VARIABLE', message: 'is missing.' },
      { path: 'x', message: 'is empty.' },
    ];
    expect(written((reporter) => reporter.problems(problems))).toBe(
      'configuration\n  ✘ A_VARIABLE  is missing.\n  ✘ x           is empty.\n\n',
    );
  });
});

const end = (report: Partial<Report>, isTTY = false): string =>
  written((reporter) => reporter.end({ ok: true, probed: false, results: [], ...report }), isTTY);

describe('the verdict of the doctor', () => {
  const one = { ...PAIR, ok: true, steps: [] };

  it.each([
    [[true, true], false, '2 of 2 give a token and reach their API.'],
    [[true, false], false, '1 of 2 gives a token and reaches its API.'],
    [[true, true], true, '2 of 2 work.'],
    [[true, false], true, '1 of 2 works.'],
  ])('B29: says only what was checked: %j, with a probe: %s', (oks, probed, verdict) => {
    const results = oks.map((ok) => ({ ...one, ok }));
    expect(end({ ok: oks.every(Boolean), probed, results })).toBe(`${verdict}\n`);
  });

  it.each<[string, Partial<StepResult>, boolean, string]>([
    [
      'B35: a probe with a warning shows nothing',
      { name: 'probe', code: 'HTTP_404' },
      true,
      '0 of 1 work. Nothing failed, so the exit code is 0.',
    ],
    ['a warning of another step', { name: 'claims', code: 'X' }, true, '1 of 1 works.'],
    [
      'B29: an API behind a proxy was not seen',
      { name: 'api-connection', facts: { proxy: 'x:1' } },
      false,
      '1 of 1 gives a token.',
    ],
    [
      'B29: a token endpoint behind a proxy was seen',
      { name: 'connection', facts: { proxy: 'x:1' } },
      false,
      '1 of 1 gives a token and reaches its API.',
    ],
  ])('%s', (_, result, probed, verdict) => {
    const results = [{ ...one, steps: [{ ...DONE, ...result }] }];
    expect(end({ probed, results })).toBe(`${verdict}\n`);
  });

  it('B29: claims no way to any API if one of them was not seen', () => {
    const unseen = { ...DONE, name: 'api-connection', facts: { proxy: 'x:1' } } as const;
    expect(end({ results: [one, { ...one, steps: [unseen] }] })).toBe('2 of 2 give a token.\n');
  });

  it('counts the problems first, and has a colour', () => {
    const problems = [{ path: 'x', message: 'is wrong.' }];
    expect(end({ problems, ok: false }, true)).toBe('\u001b[31m1 problem in the configuration.\u001b[0m\n');
    const probe: StepResult = { ...DONE, name: 'probe', code: 'HTTP_404' };
    expect(end({ results: [{ ...one, steps: [probe] }], probed: true }, true)).toContain('\u001b[33m0 of 1');
    const both = [one, { ...one, steps: [probe] }];
    expect(end({ results: both, probed: true }, true)).toContain('\u001b[33m1 of 2');
    expect(end({ results: [one], advice: ['Compare them.'] }, true)).toBe(
      '\u001b[33m→\u001b[0m Compare them.\n\u001b[32m1 of 1 gives a token and reaches its API.\u001b[0m\n',
    );
  });
});
