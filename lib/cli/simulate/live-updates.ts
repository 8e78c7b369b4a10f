import type { ServerResponse } from 'node:http';
import type { ArmedFault, ArmedFaults } from './armed-faults.js';
import { FAULTS } from './faults.js';
import type { Counts, Overview, PairOverview, ShownRequest } from './overview.js';
import type { ChosenFault } from './reporter.js';
import type { Verdict } from './verdict.js';

/** How many requests a page that opens later still sees. */
const REMEMBERED = 200;

/** Many requests within this time become one update. */
const PAUSE_MS = 100;

/** What a page shows. */
interface PageState {
  /** The simulator's clock, because the page draws the life that a token has left. */
  readonly now: number;
  readonly origin: string;
  readonly pairs: readonly PairOverview[];
  readonly counts: Counts;
  readonly headline: Verdict;
  readonly armed: readonly ArmedFault[];
  /** The oldest first. In an update, only the new ones. */
  readonly requests: readonly ShownRequest[];
  /** What people and programs did, the oldest first. In an update, only the new ones. */
  readonly actions: readonly ShownAction[];
}

/** Something that a person or a program did. */
export interface ShownAction extends ChosenFault {
  readonly id: number;
  readonly kind: 'fault';
}

/** Sends the state and each change to every page that is open, as server-sent events. */
export class LiveUpdates {
  readonly #overview: Overview;
  readonly #armed: ArmedFaults;
  readonly #origin: string;
  readonly #pages = new Set<ServerResponse>();
  readonly #remembered: ShownRequest[] = [];
  readonly #actions: ShownAction[] = [];
  #pending: ShownRequest[] = [];
  #newActions: ShownAction[] = [];
  #actionId = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(overview: Overview, armed: ArmedFaults, origin: string) {
    this.#overview = overview;
    this.#armed = armed;
    this.#origin = origin;
  }

  /** The whole state, with the last requests and the buttons. */
  state(): PageState & { readonly faults: typeof FAULTS } {
    return { ...this.#stateWith(this.#remembered, this.#actions), faults: FAULTS };
  }

  add(request: ShownRequest): void {
    this.#remembered.push(request);
    if (this.#remembered.length > REMEMBERED) this.#remembered.shift();
    this.#pending.push(request);
    this.changed();
  }

  /** A fault, a scenario or a removal. */
  act(fault: ChosenFault): void {
    const action = { id: (this.#actionId += 1), kind: 'fault' as const, ...fault };
    this.#actions.push(action);
    this.#newActions.push(action);
    if (this.#actions.length > REMEMBERED) this.#actions.shift();
    this.changed();
  }

  /** Something other than the requests changed: a token was revoked. */
  changed(): void {
    this.#timer ??= setTimeout(() => this.#flush(), PAUSE_MS);
  }

  subscribe(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
    this.#flush();
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
    response.write(eventOf('state', this.state()));
    this.#pages.add(response);
    response.once('close', () => this.#pages.delete(response));
  }

  /** Says that the simulator ends, so that a page does not look for it again. */
  end(): void {
    this.#flush();
    for (const page of this.#pages) page.end(eventOf('ended', {}));
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const update = eventOf('update', this.#stateWith(this.#pending.slice(-REMEMBERED), this.#newActions));
    this.#pending = [];
    this.#newActions = [];
    for (const page of this.#pages) page.write(update);
  }

  #stateWith(requests: readonly ShownRequest[], actions: readonly ShownAction[]): PageState {
    const { counts, headline } = this.#overview;
    const pairs = this.#overview.pairs();
    const armed = this.#armed.list();
    return { now: Date.now(), origin: this.#origin, pairs, counts, headline, armed, requests, actions };
  }
}

function eventOf(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
