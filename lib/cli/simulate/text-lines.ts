import { type Abilities, abilitiesOf, ERASE_LINE, type Output, type Style } from '../terminal.js';
import { FAULTS } from './faults.js';
import { ACCOUNTS_VARIABLE } from './accounts.js';
import { OPEN } from './keyboard.js';
import { nameOf } from './overview.js';
import { numberOf } from '../number-of.js';
import type { Counts, ShownRequest } from './shown.js';
import type { ChosenFault, SimulateReporter, Started } from './reporter.js';

/** Wide enough for the pairs of the built-in provider. A longer name only moves its line to the right. */
const PAIR_WIDTH = 'originations production'.length;

/** Without a width, the line of counts stays on one line of a usual terminal. */
const USUAL_COLUMNS = 80;

/** More requests of a kind in a second are only counted: under load, each of them would push the others off the screen. */
const LINES_A_SECOND = 10;

/** Lines for people. On a terminal, the last line shows the counts and is written again after each request. */
export class TextLines implements SimulateReporter {
  readonly #output: Output;
  readonly #moves: boolean;
  readonly #paint: Abilities['paint'];
  #footer = '';
  #page: string | undefined;
  /** The requests of this second: calls that worked, and others. */
  #usual = 0;
  #others = 0;
  #failed = 0;
  #printed = 0;
  #isFlood = false;
  #second: NodeJS.Timeout | undefined;

  constructor(output: Output, variables: NodeJS.ProcessEnv) {
    const { moves, paint } = abilitiesOf(output, variables);
    this.#output = output;
    this.#moves = moves;
    this.#paint = paint;
  }

  /** Lists the keys, if the terminal accepts keys. */
  keys(): void {
    const titles = {
      token: 'keys       token: ',
      api: '           API:   ',
      simulator: '           other: ',
    };
    for (const [target, title] of Object.entries(titles)) {
      const keys = FAULTS.filter(({ on }) => on === target).map(({ key, label }) => [key, label] as const);
      const others = [
        ...(this.#page !== undefined ? [[OPEN, 'open the page'] as const] : []),
        ['q', 'quit'] as const,
      ];
      const all = target === 'simulator' ? [...keys, ...others] : keys;
      this.#line(`  ${title}${all.map(([key, label]) => `${this.#paint('bold', key)} ${label}`).join('  ')}`);
    }
    this.#line('');
  }

  started({ origin, settings, ca, command, control, page, accounts }: Started): void {
    this.#line(`${this.#paint('bold', 'provider simulator')}  ${origin}`);
    this.#line('');
    this.#line(`  settings   ${settings}`);
    this.#line(`  authority  ${ca}`);
    if (accounts !== undefined)
      this.#line(`  accounts   ${accounts}: see ${ACCOUNTS_VARIABLE} in the settings`);
    this.#page = page;
    this.#pageLine();
    this.#line(`  control    ${control}`);
    this.#line('');
    this.#line('Build your application, then start it with this line:');
    this.#line('');
    this.#line(`  ${this.#paint('green', command)}`);
    this.#line('');
  }

  request(request: ShownRequest, counts: Counts): void {
    const { kind, status, reason, ok, durationMs, count } = request;
    this.#second ??= setTimeout(() => this.#endSecond(), 1000).unref();
    // Token requests are rare, and failures are what a person looks for.
    const isUsual = ok && kind === 'api';
    const before = isUsual ? this.#usual++ : this.#others++;
    if (!ok) this.#failed += 1;
    const most = isUsual && this.#isFlood ? 0 : LINES_A_SECOND;
    if (before >= most) {
      this.#footer = countsLine(counts);
      return;
    }
    this.#printed += 1;
    const asked = kind === 'token' ? 'token' : `${request.method} ${request.path}`;
    const verdict = this.#paint(styleOf(request), `${status ?? '---'} ${reason}`);
    this.#line(
      [
        this.#paint('dim', timeOf(request.at)),
        this.#paint(ok ? 'green' : 'red', ok ? '✔' : '✘'),
        nameOf(request).padEnd(PAIR_WIDTH),
        `${asked} ${this.#paint('dim', `#${count}`)}`,
        verdict,
        this.#paint('dim', `${durationMs} ms`),
      ].join('  '),
      countsLine(counts),
    );
  }

  fault({ at, by, chain, result }: ChosenFault): void {
    const outcome = result === undefined ? '' : ` → ${JSON.stringify(result)}`;
    this.#line(
      `${this.#paint('dim', timeOf(at))}  ${this.#paint('yellow', '!')}  fault by ${by}: ${chain}${outcome}`,
    );
  }

  /** Sums up what was not printed. After the last of many, the address of the page is shown again. */
  #endSecond(): void {
    clearTimeout(this.#second);
    this.#second = undefined;
    const all = this.#usual + this.#others;
    const wasFlood = this.#isFlood;
    this.#isFlood = all > LINES_A_SECOND;
    if (all > this.#printed)
      this.#line(
        this.#paint('dim', `          ${numberOf(all, 'request')} in a second: ${this.#failed} failed`),
      );
    if (wasFlood && !this.#isFlood) this.#pageLine();
    if (this.#isFlood) this.#second = setTimeout(() => this.#endSecond(), 1000).unref();
    [this.#usual, this.#others, this.#failed, this.#printed] = [0, 0, 0, 0];
  }

  #pageLine(): void {
    if (this.#page !== undefined) this.#line(`  page       ${this.#paint('bold', this.#page)}`);
  }

  note(text: string): void {
    this.#line(text);
  }

  cleared(counts: Counts): void {
    this.#line('A new session begins.', countsLine(counts));
  }

  ended(counts: Counts): void {
    // Its address no longer works.
    this.#page = undefined;
    this.#endSecond();
    clearTimeout(this.#second);
    this.#footer = '';
    this.#line(`Ended after ${countsLine(counts)}.`);
  }

  /** Writes a line above the line of counts. */
  #line(text: string, footer = this.#footer): void {
    if (!this.#moves) {
      this.#output.write(`${text}\n`);
      return;
    }
    this.#footer = footer;
    // A terminal without a size reports 0 columns.
    const columns = this.#output.columns || USUAL_COLUMNS;
    this.#output.write(`${ERASE_LINE}${text}\n${this.#paint('bold', footer.slice(0, columns - 1))}`);
  }
}

/** `1 token request, 12 API requests, 2 failed`, and how many tokens were asked for too early. */
export function countsLine({ tokenRequests, apiRequests, failed, early }: Counts): string {
  const parts = [
    numberOf(tokenRequests, 'token request'),
    numberOf(apiRequests, 'API request'),
    `${failed} failed`,
  ];
  if (early > 0) parts.push(`${numberOf(early, 'token request')} too early`);
  return parts.join(', ');
}

function styleOf({ ok, reason }: ShownRequest): Style {
  if (!ok) return 'red';
  return reason.includes('still valid') ? 'yellow' : 'green';
}

function timeOf(at: string): string {
  return new Date(at).toTimeString().slice(0, 8);
}
