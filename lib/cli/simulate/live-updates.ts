import type { ServerResponse } from 'node:http';
import type { PageState } from './state.js';

/** Changes within this time become one update. */
const PAUSE_MS = 250;

/** Sends the state to every page that is open, as server-sent events: at once, and after each change. */
export class LiveUpdates {
  /** Each tells one open page that the simulator ends. Otherwise the page would try to connect again. */
  readonly #ends = new Set<() => void>();

  constructor(readonly state: () => PageState) {}

  subscribe(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
    let sent = '';
    const update = (): void => {
      const data = JSON.stringify(this.state());
      // A page that does not read gets nothing until it reads again. Updates for it would fill the memory of this process.
      if (data === sent || response.writableNeedDrain) return;
      response.write(`event: state\ndata: ${data}\n\n`);
      sent = data;
    };
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
    update();
    const timer = setInterval(update, PAUSE_MS).unref();
    const stop = (): void => {
      clearInterval(timer);
      this.#ends.delete(end);
    };
    const end = (): void => {
      stop();
      update();
      response.end('event: ended\ndata: {}\n\n');
    };
    this.#ends.add(end);
    response.once('close', stop);
  }

  end(): void {
    for (const end of this.#ends) end();
  }
}
