import { ERASE_LINE, Terminal } from '../terminal.js';
import { numberOf } from '../number-of.js';
import { FAULTS } from './faults.js';
import { ACCOUNTS_VARIABLE } from './settings-file.js';
import type { Counts, Events, Report } from './shown.js';
import { nameOf } from './state.js';

/** Wide enough for the pairs of the built-in provider. A longer name only moves its line to the right. */
const PAIR_WIDTH = 'originations production'.length;

/** Without a width, the line of counts stays on one line of a usual terminal. */
const USUAL_COLUMNS = 80;

const KEY_TITLES = {
  token: 'keys       token: ',
  api: '           API:   ',
  simulator: '           other: ',
};

type Lines = { readonly [Event in keyof Events]: (facts: Events[Event]) => void };

/** Lines for people. On a terminal, the last line shows the counts and is written again after each request. */
export class TextLines extends Terminal implements Lines {
  readonly report: Report = (event, facts) => (this as Lines)[event](facts);
  #footer = '';

  started({ origin, settings, ca, command, control, page, accounts }: Events['started']): void {
    this.#line(`${this.paint('bold', 'provider simulator')}  ${origin}`);
    this.#line('');
    this.#line(`  settings   ${settings}`);
    this.#line(`  authority  ${ca}`);
    if (accounts !== undefined)
      this.#line(`  accounts   ${accounts}: see ${ACCOUNTS_VARIABLE} in the settings`);
    if (page !== undefined) this.#line(`  page       ${this.paint('bold', page)}`);
    this.#line(`  control    ${control}`);
    this.#line('');
    this.#line('Build your application, then start it with this line:');
    this.#line('');
    this.#line(`  ${this.paint('green', command)}`);
    this.#line('');
  }

  /** Lists the keys, if the terminal accepts keys. */
  keys(): void {
    const quit = { key: 'q', label: 'quit' };
    for (const [target, title] of Object.entries(KEY_TITLES)) {
      const keys = [...FAULTS.filter(({ on }) => on === target), ...(target === 'simulator' ? [quit] : [])];
      const texts = keys.map(({ key, label }) => `${this.paint('bold', key)} ${label}`);
      this.#line(`  ${title}${texts.join('  ')}`);
    }
    this.#line('');
  }

  request({ counts, ...request }: Events['request']): void {
    const { kind, method, path, at, status, reason, ok, durationMs, count } = request;
    const asked = kind === 'token' ? 'token' : `${method} ${path}`;
    this.#line(
      [
        this.paint('dim', timeOf(at)),
        this.paint(ok ? 'green' : 'red', ok ? '✔' : '✘'),
        nameOf(request).padEnd(PAIR_WIDTH),
        count === undefined ? asked : `${asked} ${this.paint('dim', `#${count}`)}`,
        this.paint(ok ? 'green' : 'red', `${status ?? '---'} ${reason}`),
        this.paint('dim', `${durationMs} ms`),
      ].join('  '),
      countsLine(counts),
    );
  }

  fault({ at, by, chain, result }: Events['fault']): void {
    const outcome = result === undefined ? '' : ` → ${JSON.stringify(result)}`;
    this.#line(
      `${this.paint('dim', timeOf(at))}  ${this.paint('yellow', '!')}  fault by ${by}: ${chain}${outcome}`,
    );
  }

  cleared({ counts }: Events['cleared']): void {
    this.#line('A new session begins.', countsLine(counts));
  }

  ended({ counts }: Events['ended']): void {
    this.#line(`Ended after ${countsLine(counts)}.`, '');
  }

  /** Writes a line above the line of counts. */
  #line(text: string, footer = this.#footer): void {
    this.#footer = footer;
    // A terminal without a size reports 0 columns.
    const columns = this.output.columns || USUAL_COLUMNS;
    const below = this.paint('bold', footer.slice(0, columns - 1));
    this.output.write(this.moves ? `${ERASE_LINE}${text}\n${below}` : `${text}\n`);
  }
}

/** `1 token request, 12 API requests, 2 failed` */
export function countsLine({ tokenRequests, apiRequests, failed }: Counts): string {
  return `${numberOf(tokenRequests, 'token request')}, ${numberOf(apiRequests, 'API request')}, ${failed} failed`;
}

function timeOf(at: string): string {
  return new Date(at).toTimeString().slice(0, 8);
}
