import { pairName } from '../catalogue/catalogue.js';
import type { ConfigProblem } from '../errors/provider-auth-config.error.js';
import { numberOf } from './number-of.js';
import { type PairResult, type Report, STEP_TITLES, type StepName, type StepResult } from './report.js';
import { ERASE_LINE, type Style, Terminal } from './terminal.js';

const TITLE_WIDTH = Math.max(...Object.values(STEP_TITLES).map((title) => title.length));

const ADVICE_INDENT = ' '.repeat(6);

/** Prints lines for people: one line for each step, and below it the advice, if there is any. */
export class TextReporter extends Terminal {
  problems(problems: readonly ConfigProblem[]): void {
    this.#line(this.paint('bold', 'configuration'));
    const places = problems.map(({ path, env }) => env ?? path);
    const width = Math.max(...places.map((place) => place.length));
    for (const [index, { message }] of problems.entries())
      this.#line(`  ${this.paint('red', '✘')} ${places[index]?.padEnd(width)}  ${message}`);
    this.#line();
  }

  /** On a terminal, the title of the running step stands below the lines. */
  begins(step: StepName): void {
    if (this.moves) this.output.write(`${ERASE_LINE}  … ${STEP_TITLES[step]}`);
  }

  pair(result: PairResult): void {
    if (this.moves) this.output.write(ERASE_LINE);
    const { active, host } = result;
    const notes = [active ? 'active' : undefined, host].filter((note) => note !== undefined);
    this.#line(`${this.paint('bold', pairName(result))} ${this.paint('dim', notes.join(', '))}`.trimEnd());
    for (const step of result.steps) if (!step.blocked) this.#step(step);
    this.#line();
  }

  end({ ok, probed, results, advice, problems }: Report): void {
    for (const one of advice ?? []) this.#line(`${this.paint('yellow', '→')} ${one}`);
    const verdicts = [
      problems && `${numberOf(problems.length, 'problem')} in the configuration.`,
      results.length > 0 ? verdictOn(results, probed) : undefined,
    ].filter((verdict) => verdict !== undefined);
    const isAllRight = results.every((result) => isWorking(result, probed));
    this.#line(this.paint(!ok ? 'red' : isAllRight ? 'green' : 'yellow', verdicts.join(' ')));
  }

  #step({ name, status, durationMs, detail, advice }: StepResult): void {
    const [mark, style] = markOf(status, advice);
    const title = STEP_TITLES[name].padEnd(TITLE_WIDTH);
    const duration = UNTIMED.has(name) || status === 'skipped' ? '' : `${durationMs} ms`;
    this.#line(`  ${this.paint(style, mark)} ${title} ${this.paint('dim', duration.padStart(8))}  ${detail}`);
    if (advice !== undefined) this.#line(`${ADVICE_INDENT}${this.paint('yellow', '→')} ${advice}`);
  }

  #line(text = ''): void {
    this.output.write(`${text}\n`);
  }
}

/** The steps that wait for no server and for no DNS. Their duration is not printed. */
const UNTIMED: ReadonlySet<StepName> = new Set(['configuration', 'lifetime', 'claims']);

/** The verdict says only what was checked. An API without a probe may still refuse every token. */
function verdictOn(results: readonly PairResult[], probed: boolean): string {
  const working = results.filter((result) => isWorking(result, probed)).length;
  const counted = `${working} of ${results.length}`;
  const isOnlyUnseen = working < results.length && results.every(({ ok }) => ok);
  if (probed)
    return `${counted} ${working === 1 ? 'works' : 'work'}.${isOnlyUnseen ? ' Nothing failed, so the exit code is 0.' : ''}`;
  const isUnseen = results.some(({ steps }) =>
    steps.some(({ name, facts }) => name === 'api-connection' && facts?.['proxy'] !== undefined),
  );
  const [gives, reaches] = working === 1 ? ['gives', 'reaches its API'] : ['give', 'reach their API'];
  return `${counted} ${gives} a token${isUnseen ? '' : ` and ${reaches}`}.`;
}

/** A probe that the API answered with 404 has a warning, and shows nothing. */
function isWorking({ ok, steps }: PairResult, probed: boolean): boolean {
  return ok && (!probed || steps.every(({ name, code }) => name !== 'probe' || code === undefined));
}

function markOf(status: StepResult['status'], advice: string | undefined): [string, Style] {
  if (status === 'failed') return ['✘', 'red'];
  if (status === 'skipped') return ['-', 'dim'];
  return advice === undefined ? ['✔', 'green'] : ['!', 'yellow'];
}
