import type { ServerResponse } from 'node:http';
import type { ArmedFault, ArmedFaults } from './armed-faults.js';
import { FAULTS } from './faults.js';
import type { Second } from './last-minute.js';
import type { Overview, PairOverview } from './overview.js';
import type { Refusal } from './refusals.js';
import type { ShownAction } from './reporter.js';
import type { Counts, ShownRequest } from './shown.js';

/**
 * So many calls that worked, so many other requests, and so many actions are remembered. The many never displace the rare ones: a page
 * that opens after a failure still shows it.
 */
const REMEMBERED = 100;

/** Many changes within this time become one update. */
const PAUSE_MS = 250;

/** What a page shows. The oldest comes first in each list. */
interface PageState {
  readonly origin: string;
  /** The line that starts an application. */
  readonly command: string;
  readonly faults: typeof FAULTS;
  readonly pairs: readonly PairOverview[];
  readonly counts: Counts;
  readonly minute: readonly Second[];
  readonly refusals: readonly Refusal[];
  readonly armed: readonly ArmedFault[];
  readonly requests: readonly ShownRequest[];
  /** What people and programs did. */
  readonly actions: readonly ShownAction[];
}

interface UpdateParts {
  readonly overview: Overview;
  readonly armed: ArmedFaults;
  readonly origin: string;
  readonly command: string;
}

/** Sends the state to every page that is open, as server-sent events: at once, and after each change. */
export class LiveUpdates {
  readonly #parts: UpdateParts;
  readonly #pages = new Set<ServerResponse>();
  #calls: ShownRequest[] = [];
  #others: ShownRequest[] = [];
  #actions: ShownAction[] = [];
  #actionId = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: UpdateParts) {
    this.#parts = parts;
  }

  state(): PageState {
    const { overview, armed, origin, command } = this.#parts;
    armed.noteWhatIsLeft();
    return {
      origin,
      command,
      faults: FAULTS,
      pairs: overview.pairs(),
      counts: overview.counts,
      minute: overview.minute.list(),
      refusals: overview.refusals.list(),
      armed: armed.list(),
      requests: [...this.#calls, ...this.#others].toSorted((one, other) => one.id - other.id),
      actions: this.#actions,
    };
  }

  add(request: ShownRequest): void {
    const { kind, ok, resendOf } = request;
    const list = kind === 'api' && ok && resendOf === undefined ? this.#calls : this.#others;
    list.push(request);
    if (list.length > REMEMBERED) list.shift();
    this.changed();
  }

  /** A fault, or the end of one. */
  act(fault: Omit<ShownAction, 'id'>): void {
    this.#actions = [...this.#actions, { id: (this.#actionId += 1), ...fault }].slice(-REMEMBERED);
    this.changed();
  }

  /** Forgets all requests and actions. */
  clear(): void {
    [this.#calls, this.#others, this.#actions] = [[], [], []];
    this.changed();
  }

  changed(): void {
    this.#timer ??= setTimeout(() => this.#flush(), PAUSE_MS).unref();
  }

  subscribe(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
    response.write(this.#event());
    this.#pages.add(response);
    response.on('drain', () => this.changed());
    response.once('close', () => this.#pages.delete(response));
  }

  /** Says that the simulator ends, so that a page does not look for it again. */
  end(): void {
    this.#flush();
    for (const page of this.#pages) page.end('event: ended\ndata: {}\n\n');
    // One that does not read stays open for a moment, and requests may still come.
    this.#pages.clear();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Without a page, too: one that opens later shows when each fault has ended.
    this.#parts.armed.noteWhatIsLeft();
    if (this.#pages.size === 0) return;
    // Time alone ends the wait for a call that is not sent again.
    if (this.#parts.overview.refusals.list().some(({ level }) => level === 'warn')) this.changed();
    const event = this.#event();
    // A page that does not read gets nothing until it reads again. Updates for it would fill the memory of this process.
    for (const page of this.#pages) if (!page.writableNeedDrain) page.write(event);
  }

  #event(): string {
    return `event: state\ndata: ${JSON.stringify(this.state())}\n\n`;
  }
}
