import type { ServerResponse } from 'node:http';
import type { PageState } from './state.js';

/** Many changes within this time become one update. */
const PAUSE_MS = 250;

/** Sends the state to every page that is open, as server-sent events: at once, and after each change. */
export class LiveUpdates {
  readonly #pages = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly state: () => PageState) {}

  changed(): void {
    if (this.#pages.size > 0) this.#timer ??= setTimeout(() => this.#flush(), PAUSE_MS).unref();
  }

  subscribe(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
    response.write(eventOf(this.state()));
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
    const state = this.state();
    // Time alone ends the wait for a call that is not sent again.
    if (state.refusals.some(({ level }) => level === 'warn')) this.changed();
    // A page that does not read gets nothing until it reads again. Updates for it would fill the memory of this process.
    for (const page of this.#pages) if (!page.writableNeedDrain) page.write(eventOf(state));
  }
}

function eventOf(state: PageState): string {
  return `event: state\ndata: ${JSON.stringify(state)}\n\n`;
}
