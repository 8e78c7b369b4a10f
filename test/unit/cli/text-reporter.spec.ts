import { describe, expect, it } from 'vitest';
import type { Report } from '../../../lib/cli/report.js';
import type { StepName, StepResult } from '../../../lib/cli/step.js';
import { TextReporter } from '../../../lib/cli/text-reporter.js';
import { WrittenText } from '../../support/application/doctor-check.js';

const DONE: StepResult = {
  name: 'dns',
  status: 'ok',
  durationMs: 3,
  detail: 'provider.example is 203.0.113.7',
};

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

const linesOf = (...given: Parameters<typeof written>): string[] => written(...given).split('\n');

/** The output for one step. */
const step = (isTTY: boolean, variables: NodeJS.ProcessEnv, result: Partial<StepResult> = {}): string =>
  written(
    (reporter) => {
      const all = { ...DONE, ...result };
      reporter.begins(all.name);
      reporter.ended(all);
    },
    isTTY,
    variables,
  );

const PAIR = { interface: 'easy', environment: 'sandbox', active: true } as const;

/** The last line of a report on pairs that work or fail. */
function verdictOn(oks: readonly boolean[], probed: boolean, steps: readonly StepResult[] = []): string {
  const results = oks.map((ok) => ({ ...PAIR, ok, steps }));
  return written((reporter) => reporter.end({ ok: oks.every(Boolean), probed, results })).trimEnd();
}

const skip = (name: StepName, detail = 'already checked'): StepResult => ({
  name,
  status: 'skipped',
  durationMs: 0,
  detail,
});

describe('TextReporter', () => {
  it.each<[StepName, string]>([
    ['configuration', '  ✔ configuration            fine'],
    ['dns', '  ✔ DNS             12 ms  fine'],
    ['tcp', '  ✔ TCP             12 ms  fine'],
    ['tls', '  ✔ TLS             12 ms  fine'],
    ['token-request', '  ✔ token request   12 ms  fine'],
    ['lifetime', '  ✔ lifetime                 fine'],
    ['claims', '  ✔ claims                   fine'],
    ['clock', '  ✔ clock                    fine'],
    ['api-dns', '  ✔ API DNS         12 ms  fine'],
    ['api-tcp', '  ✔ API TCP         12 ms  fine'],
    ['api-tls', '  ✔ API TLS         12 ms  fine'],
    ['probe', '  ✔ probe           12 ms  fine'],
  ])('writes one plain line for each step into a pipe: %s', (name, line) => {
    expect(step(false, {}, { name, durationMs: 12, detail: 'fine' }).replace(/ {2,}/g, '  ')).toBe(
      `${line.replace(/ {2,}/g, '  ')}\n`,
    );
  });

  it('puts titles, durations and details under each other', () => {
    expect(step(false, {})).toBe('  ✔ DNS               3 ms  provider.example is 203.0.113.7\n');
    expect(step(false, {}, { name: 'configuration', detail: 'complete' })).toBe(
      '  ✔ configuration           complete\n',
    );
  });

  it('prints no duration of a step that was skipped', () => {
    expect(step(false, {}, { status: 'skipped', detail: 'already checked' })).toBe(
      '  - DNS                     already checked\n',
    );
  });

  it('shows a spinner on a terminal until the step has ended, then the mark of the step', () => {
    expect(step(true, {})).toBe(
      '\r\u001b[2K  ⠋ DNS\r\u001b[2K' +
        '  \u001b[32m✔\u001b[0m DNS           \u001b[2m    3 ms\u001b[0m  provider.example is 203.0.113.7\n',
    );
  });

  it.each<[Partial<StepResult>, string]>([
    [{ status: 'failed', advice: 'Check it.' }, '\u001b[31m✘\u001b[0m'],
    [{ advice: 'Check it.' }, '\u001b[33m!\u001b[0m'],
    [{ status: 'skipped' }, '\u001b[2m-\u001b[0m'],
    [{}, '\u001b[32m✔\u001b[0m'],
  ])('marks %j with its own colour', (result, mark) => {
    const [line, advice] = step(true, {}, result).split('\r\u001b[2K').at(-1)!.split('\n');
    expect(line?.startsWith(`  ${mark} DNS `)).toBe(true);
    expect(advice).toBe('advice' in result ? '      \u001b[33m→\u001b[0m Check it.' : '');
  });

  it('uses no colour if NO_COLOR is set. An empty NO_COLOR counts as not set', () => {
    expect(step(true, { NO_COLOR: '1' })).not.toContain('\u001b[32m');
    expect(step(true, { NO_COLOR: '' })).toContain('\u001b[32m');
  });

  it('does not erase lines on a dumb terminal', () => {
    expect(step(true, { TERM: 'dumb' })).toBe(step(false, {}));
  });

  it('marks a failure, a warning and a step that had nothing to check', () => {
    expect(linesOf((reporter) => reporter.ended({ ...DONE, status: 'failed', advice: 'Check it.' }))).toEqual(
      ['  ✘ DNS               3 ms  provider.example is 203.0.113.7', '      → Check it.', ''],
    );
    expect(linesOf((reporter) => reporter.ended({ ...DONE, advice: 'Look at it.' }))).toEqual([
      '  ! DNS               3 ms  provider.example is 203.0.113.7',
      '      → Look at it.',
      '',
    ]);
    expect(linesOf((reporter) => reporter.ended({ ...DONE, status: 'skipped' }))).toEqual([
      '  - DNS                     provider.example is 203.0.113.7',
      '',
    ]);
  });

  it('says once why consecutive steps are skipped', () => {
    expect(
      linesOf((reporter) => {
        for (const name of ['api-dns', 'api-tcp', 'api-tls'] as const) reporter.ended(skip(name));
        reporter.ended(skip('probe', 'not asked for'));
        reporter.pairEnded();
        // The next pair, and a step in between.
        reporter.ended(skip('dns', 'not asked for'));
        reporter.ended({ ...DONE, detail: 'not asked for' });
        reporter.ended(skip('tcp', 'not asked for'));
      }),
    ).toEqual([
      '  - API DNS                 already checked',
      '  - probe                   not asked for',
      '',
      '  - DNS                     not asked for',
      '  ✔ DNS               3 ms  not asked for',
      '  - TCP                     not asked for',
      '',
    ]);
  });

  it.each([
    [{ ...PAIR, host: 'auth.example' }, 'easy sandbox active, auth.example'],
    [{ ...PAIR, active: false, host: 'auth.example' }, 'easy sandbox auth.example'],
    [PAIR, 'easy sandbox active'],
    [{ ...PAIR, active: false }, 'easy sandbox'],
    [{ ...PAIR, provider: 'warehouse' }, 'warehouse easy sandbox active'],
  ])('begins with the name of a pair: %j', (head, line) => {
    expect(written((reporter) => reporter.pair(head))).toBe(`${line}\n`);
  });

  it('shows the name of a pair in bold, and the rest dimmed', () => {
    expect(written((reporter) => reporter.pair(PAIR), true)).toBe(
      '\u001b[1measy sandbox\u001b[0m \u001b[2mactive\u001b[0m\n',
    );
    expect(written((reporter) => reporter.pair({ ...PAIR, active: false }), true)).toBe(
      '\u001b[1measy sandbox\u001b[0m\n',
    );
  });

  const PROBLEMS = [
    { path: 'interfaces.easy.sandbox.clientId', env: 'A_VARIABLE', message: 'is missing.' },
    { path: 'interfaces', message: 'is empty.' },
  ];

  it('lists the problems of the configuration by variable, or by path if there is none', () => {
    expect(linesOf((reporter) => reporter.problems(PROBLEMS))).toEqual([
      'configuration',
      '  ✘ A_VARIABLE  is missing.',
      '  ✘ interfaces  is empty.',
      '',
      '',
    ]);
    expect(
      linesOf((reporter) => reporter.problems([{ path: 'x', message: 'y' }, ...PROBLEMS]), true),
    ).toEqual([
      '\u001b[1mconfiguration\u001b[0m',
      '  \u001b[31m✘\u001b[0m x           y',
      '  \u001b[31m✘\u001b[0m A_VARIABLE  is missing.',
      '  \u001b[31m✘\u001b[0m interfaces  is empty.',
      '',
      '',
    ]);
  });
});

const end = (report: Partial<Report>, isTTY = false): string =>
  written((reporter) => reporter.end({ ok: true, probed: false, results: [], ...report }), isTTY);

describe('the verdict of TextReporter', () => {
  const one = { ...PAIR, ok: true, steps: [] };

  it('B29: says only what was checked: without a probe, that pairs give tokens; with a probe, that pairs work', () => {
    expect(verdictOn([true, true], false)).toBe('2 of 2 give a token and reach their API.');
    expect(verdictOn([true, false], false)).toBe('1 of 2 gives a token and reaches its API.');
    expect(verdictOn([false], false)).toBe('0 of 1 give a token and reach their API.');
    expect(verdictOn([true, true], true)).toBe('2 of 2 work.');
    expect(verdictOn([true, false], true)).toBe('1 of 2 works.');
  });

  it.each<[string, Partial<StepResult>, boolean, string]>([
    ['B35: a probe with a warning shows nothing', { name: 'probe', code: 'HTTP_404' }, true, '0 of 1 work.'],
    [
      'B35: a warning of another step shows nothing of the API',
      { name: 'claims', code: 'X' },
      true,
      '1 of 1 works.',
    ],
    ['a probe without a warning', { name: 'probe' }, true, '1 of 1 works.'],
    [
      'a warning counts only if a probe was asked for',
      { name: 'probe', code: 'HTTP_404' },
      false,
      '1 of 1 gives a token and reaches its API.',
    ],
    [
      'B29: an API behind a proxy was not seen',
      { name: 'api-tls', status: 'skipped', isBehindProxy: true },
      false,
      '1 of 1 gives a token.',
    ],
    [
      'B29: a token endpoint behind a proxy was seen',
      { name: 'tls', status: 'skipped', isBehindProxy: true },
      false,
      '1 of 1 gives a token and reaches its API.',
    ],
    [
      'an API that was skipped for another reason',
      { name: 'api-tls', status: 'skipped' },
      false,
      '1 of 1 gives a token and reaches its API.',
    ],
  ])('%s', (_, result, probed, verdict) => {
    const other: StepResult = { ...DONE, name: 'lifetime' };
    expect(verdictOn([true], probed, [other, { ...DONE, ...result }])).toBe(verdict);
  });

  it('B29: says only what is true of each pair', () => {
    const unseen: StepResult = { ...DONE, name: 'api-tls', status: 'skipped', isBehindProxy: true };
    expect(end({ results: [one, { ...one, steps: [unseen] }] })).toBe('2 of 2 give a token.\n');
  });

  it('counts the problems first, and is red', () => {
    const problems = [{ path: 'x', message: 'is wrong.' }];
    expect(end({ problems, ok: false })).toBe('1 problem in the configuration.\n');
    expect(end({ problems: [...problems, ...problems], results: [one], ok: false }, true)).toBe(
      '\u001b[31m2 problems in the configuration. 1 of 1 gives a token and reaches its API.\u001b[0m\n',
    );
  });

  it('B35: is yellow if a probe shows nothing', () => {
    const probe: StepResult = { ...DONE, name: 'probe', code: 'HTTP_404' };
    expect(end({ results: [{ ...one, steps: [probe] }], probed: true }, true)).toBe(
      '\u001b[33m0 of 1 work.\u001b[0m\n',
    );
  });

  it('is green if all is well, below the advice for all pairs', () => {
    expect(end({ results: [one], advice: ['Compare them.', 'Update it.'] }, true).split('\n')).toEqual([
      '\u001b[33m→\u001b[0m Compare them.',
      '\u001b[33m→\u001b[0m Update it.',
      '\u001b[32m1 of 1 gives a token and reaches its API.\u001b[0m',
      '',
    ]);
  });
});
