import type { ServerResponse } from 'node:http';
import type { ArmedFault, ArmedFaults } from './armed-faults.js';
import { FAULTS } from './faults.js';
import type { Load, LoadStatus } from './load.js';
import type { Overview, PairOverview } from './overview.js';
import type { Counts, ShownRequest } from './shown.js';
import type { ShownAction } from './reporter.js';
import type { Story } from './stories.js';
import { type Scenario, SCENARIOS } from './scenarios.js';
import { type OwnDefinition, sessionSpec } from './session-spec.js';
import type { Verdict } from './verdict.js';

/** How many requests a page that opens later still sees. */
const REMEMBERED = 500;

/** So many of them go to a page in one update. Token requests, failures and resends go first. */
const IN_AN_UPDATE = 400;

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
  /** The oldest first. In an update, only those that have changed. */
  readonly stories: readonly Story[];
  readonly load: LoadStatus;
  /** The oldest first. In an update, only the new ones. */
  readonly requests: readonly ShownRequest[];
  /** What people and programs did, the oldest first. In an update, only the new ones. */
  readonly actions: readonly ShownAction[];
}

interface WholeState extends PageState {
  readonly faults: typeof FAULTS;
  readonly scenarios: readonly Pick<Scenario, 'name' | 'label' | 'does' | 'seconds'>[];
  readonly command: string;
}

interface UpdateParts {
  readonly overview: Overview;
  readonly armed: ArmedFaults;
  readonly load: Load;
  readonly origin: string;
  /** The line that starts an application. */
  readonly command: string;
  /** Undefined for the built-in provider. */
  readonly definition?: OwnDefinition | undefined;
}

/** Sends the state and each change to every page that is open, as server-sent events. */
export class LiveUpdates {
  readonly #parts: UpdateParts;
  readonly #pages = new Set<ServerResponse>();
  readonly #behind = new WeakSet<ServerResponse>();
  #remembered: ShownRequest[] = [];
  #actions: ShownAction[] = [];
  #pending: ShownRequest[] = [];
  #newActions: ShownAction[] = [];
  #actionId = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: UpdateParts) {
    this.#parts = parts;
  }

  /** The whole state, with the last requests and the buttons. */
  state(): WholeState {
    const { command, armed, overview } = this.#parts;
    armed.noteWhatIsLeft();
    return {
      ...this.#stateWith({
        requests: this.#remembered,
        actions: this.#actions,
        stories: overview.stories.list(),
      }),
      faults: FAULTS,
      scenarios: SCENARIOS.map(({ name, label, does, seconds }) => ({
        name,
        label,
        does,
        ...(seconds !== undefined && { seconds }),
      })),
      command,
    };
  }

  /** The calls and faults that are remembered, as one spec. */
  spec(): string {
    const { definition, armed, overview } = this.#parts;
    const { tokenRequests, apiRequests } = overview.counts;
    const isCut = tokenRequests + apiRequests > this.#remembered.length;
    return sessionSpec(this.#remembered, this.#actions, {
      definition,
      armed: isCut ? armed.list() : undefined,
    });
  }

  add(request: ShownRequest): void {
    this.#remembered.push(request);
    if (this.#remembered.length > REMEMBERED) this.#parts.armed.forgetUse(this.#remembered.shift()?.fault);
    if (this.#pages.size > 0) this.#pending.push(request);
    this.changed();
  }

  /** A fault, a scenario or a removal. */
  act(fault: Omit<ShownAction, 'id' | 'kind'>): void {
    const action = { id: (this.#actionId += 1), kind: 'fault' as const, ...fault };
    this.#actions.push(action);
    this.#newActions.push(action);
    if (this.#actions.length > REMEMBERED) this.#actions.shift();
    this.changed();
  }

  /** Forgets all requests and actions. Each page begins again with the whole state. */
  clear(): void {
    this.#remembered = [];
    this.#actions = [];
    this.#pending = [];
    this.#newActions = [];
    for (const page of this.#pages) page.write(eventOf('state', this.state()));
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
    // One that does not read stays open for a moment, and requests may still come.
    this.#pages.clear();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { armed, overview } = this.#parts;
    const news = {
      requests: someOf(this.#pending),
      actions: this.#newActions,
      stories: overview.stories.takeChanged(),
    };
    this.#pending = [];
    this.#newActions = [];
    // Without a page, too: one that opens later shows when each fault has ended.
    armed.noteWhatIsLeft();
    if (this.#pages.size === 0) return;
    const update = eventOf('update', this.#stateWith(news));
    for (const page of this.#pages) this.#send(page, update);
  }

  /**
   * A page that does not read gets no updates, because they would fill the memory of this process. As soon as it reads again, it gets
   * the whole state.
   */
  #send(page: ServerResponse, update: string): void {
    if (!page.writableNeedDrain) page.write(update);
    else if (!this.#behind.has(page)) {
      this.#behind.add(page);
      page.once('drain', () => {
        // Else the next update would repeat what this state shows.
        this.#flush();
        this.#behind.delete(page);
        page.write(eventOf('state', this.state()));
      });
    }
  }

  #stateWith(news: Pick<PageState, 'requests' | 'actions' | 'stories'>): PageState {
    const { overview, armed, load, origin } = this.#parts;
    const { counts, summary } = overview;
    return {
      now: Date.now(),
      origin,
      ...summary,
      headline: load.headline ?? summary.headline,
      counts,
      armed: armed.list(),
      load: load.status,
      ...news,
    };
  }
}

const isNews = ({ kind, ok, resendOf }: ShownRequest): boolean =>
  kind === 'token' || !ok || resendOf !== undefined;

function someOf(requests: readonly ShownRequest[]): readonly ShownRequest[] {
  if (requests.length <= IN_AN_UPDATE) return requests;
  const chosen = [...requests.filter(isNews), ...requests.filter((request) => !isNews(request))];
  return chosen.slice(0, IN_AN_UPDATE).toSorted((one, other) => one.id - other.id);
}

function eventOf(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
