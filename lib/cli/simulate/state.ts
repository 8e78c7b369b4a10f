import { type AnyPair, BUILT_IN_NAME, refusalsOf } from '../../catalogue/catalogue.js';
import type { ReceivedRequest } from '../../testing/simulator/records.js';
import { DOCTOR_HEADER } from '../../catalogue/wire.js';
import { harmless } from '../server-text.js';
import type { Simulation } from '../../testing/simulator/simulation.js';
import { FAULTS, labelOf } from './faults.js';
import { LastMinute } from './last-minute.js';
import { Refusals } from './refusals.js';
import { type ChosenFault, type Counts, NO_COUNTS, type ShownAction, type ShownRequest } from './shown.js';
import { type Chain, codeOf, type Target } from './verbs.js';

/**
 * So many calls that worked, so many other requests, and so many actions are remembered. The many never displace the rare ones: a page
 * that opens after a failure still shows it.
 */
const REMEMBERED = 100;

/** The last failure of one kind of request of a pair. */
interface Failure extends Pick<ShownRequest, 'at' | 'kind'> {
  readonly text: string;
  /** Whether a later request of the same kind has worked. */
  isOver: boolean;
}

/** The names of a pair, or of one account of it. Addresses that no pair has have none. */
type Named = Pick<ShownRequest, 'interface' | 'environment' | 'account'>;

interface Seen {
  readonly pair: Named;
  readonly counts: typeof NO_COUNTS;
  /** The newest first. */
  failures: readonly Failure[];
}

const seenOf = (pair: Named): Seen => ({ pair, counts: { ...NO_COUNTS }, failures: [] });

const KINDS = {
  token: { what: 'token request', all: 'tokenRequests', failed: 'failedTokenRequests' },
  api: { what: 'call', all: 'apiRequests', failed: 'failedCalls' },
} as const;

/** What a page shows. The oldest comes first in each list. */
export type PageState = ReturnType<State['page']>;

type Findings = ReceivedRequest<string, string>['findings'];

/** Counts the requests of a session, and turns each of them into what lines and the page show. */
export class State {
  readonly #all = seenOf({});
  readonly #refusals = new Refusals();
  readonly #minute = new LastMinute();
  /** Each pair, each account that was seen, and addresses that no pair has. */
  readonly #seen = new Map<string, Seen>();
  readonly #calls: ShownRequest[] = [];
  /** Token requests, failures, and calls that were sent again. */
  readonly #others: ShownRequest[] = [];
  readonly #actions: ShownAction[] = [];
  /** The faults by the ids of their scripts. */
  readonly #faults = new Map<number, Pick<ShownAction, 'on' | 'label' | 'chain'>>();

  /** The name of a definition. Undefined for the built-in provider. */
  readonly #definition: string | undefined;

  /** @param newestId of a request or an action. The ids go on in a new session. */
  constructor(
    private readonly simulation: Simulation,
    private readonly command: string,
    public newestId = 0,
  ) {
    const { name, pairs } = simulation.catalogue;
    this.#definition = name === BUILT_IN_NAME ? undefined : name;
    for (const pair of pairs) this.#find({ interface: pair.interface, environment: pair.environment });
  }

  get counts(): Counts {
    return { ...this.#all.counts };
  }

  page() {
    return {
      origin: this.simulation.addresses.origin,
      command: this.command,
      faults: FAULTS,
      pairs: [...this.#seen.values()].map((one) => this.#pairState(one)),
      counts: this.counts,
      minute: this.#minute.list(),
      refusals: this.#refusals.list(),
      armed: this.#armed(),
      requests: [...this.#calls, ...this.#others].toSorted((one, other) => one.id - other.id),
      actions: [...this.#actions],
    };
  }

  add(observed: ReceivedRequest<string, string>): ShownRequest {
    const { status, interface: name, environment, account, findings } = observed;
    const { kind, fault, isComplete = false, durationMs = 0 } = findings;
    const isOfDoctor = observed.headers[DOCTOR_HEADER] !== undefined;
    const pair = { interface: name, environment, account };
    const seen = this.#find(pair);
    const { all, failed } = KINDS[kind];
    const ok = status !== undefined && status < 400 && isComplete;
    if (!isOfDoctor) this.#count(seen, all, ...(ok ? [] : (['failed', failed] as const)));
    const request: ShownRequest = {
      id: (this.newestId += 1),
      at: observed.at.toISOString(),
      kind,
      provider: this.#definition,
      ...pair,
      method: harmless(observed.method),
      path: shownPath(observed.path),
      status,
      reason: reasonOf(observed, isOfDoctor),
      ok,
      fault,
      durationMs: Math.round(durationMs),
      count: isOfDoctor ? undefined : seen.counts[all],
    };
    const shown = isOfDoctor ? request : this.#follow(request, seen, findings);
    const isOrdinary = kind === 'api' && ok && shown.resendOf === undefined;
    remember(isOrdinary ? this.#calls : this.#others, shown);
    return shown;
  }

  /** A chain has run, by a key, an option, the control address or the page. */
  act(target: Target, chain: Chain, fault: Omit<ChosenFault, 'at' | 'chain'>): ShownAction {
    const about = { on: target, label: labelOf(target, chain), chain: codeOf(target, chain) };
    for (const { id } of this.simulation.scripts.waiting)
      if (!this.#faults.has(id)) this.#faults.set(id, about);
    const id = (this.newestId += 1);
    const action = { id, at: new Date().toISOString(), ...fault, ...about, body: JSON.stringify(chain) };
    remember(this.#actions, action);
    if (target !== 'simulator') this.#minute.addFault(Date.now());
    return action;
  }

  /** The faults that wait for requests. Without `left`, a fault stays until it is removed. */
  #armed() {
    return this.simulation.scripts.waiting.flatMap(
      ({ id, scope: { interface: name, environment }, left }) => {
        const fault = this.#faults.get(id);
        return fault === undefined ? [] : { id, ...fault, interface: name, environment, left };
      },
    );
  }

  /** A failure that is not over comes before a newer one that is over. */
  #pairState({ pair, counts, failures }: Seen) {
    const token = this.simulation.tokens.newestOf(pair as AnyPair) ?? { state: 'none' as const };
    const name = nameOf({ provider: this.#definition, ...pair });
    const failure = failures.find(({ isOver }) => !isOver) ?? failures[0];
    return { ...pair, name, ...counts, token, failure };
  }

  /** Notes failures, refused calls and the last minute. Returns the request, with the call that it repeats. */
  #follow(request: ShownRequest, seen: Seen, { terms, claims }: Findings): ShownRequest {
    const { kind, ok, status, reason, at } = request;
    const failure = {
      at,
      kind,
      text: `${KINDS[kind].what}: ${status ?? 'no answer'}, ${reason}`,
      isOver: false,
    };
    if (!ok) seen.failures = [failure, ...seen.failures.filter((one) => one.kind !== kind)];
    // A request that works says that the addresses are right again, too.
    const working = ok ? [seen, this.#seen.get(keyOf({}))] : [];
    for (const one of working.flatMap((other) => other?.failures ?? []))
      if (one.kind === kind) one.isOver = true;
    const isRefusal = status !== undefined && refusalsOf(terms).includes(status) && reason !== 'no token';
    // The client renews the token that it has sent, even if the address is that of another pair.
    const resendOf = this.#refusals.add(nameOf({ ...request, ...claims }), request, isRefusal);
    const followed = { ...request, resendOf };
    this.#minute.add(followed);
    if (resendOf !== undefined && ok) this.#count(seen, 'recovered');
    return followed;
  }

  #count(seen: Seen, ...names: readonly (keyof Counts)[]): void {
    for (const { counts } of [this.#all, seen]) for (const name of names) counts[name] += 1;
  }

  #find(pair: Named): Seen {
    const found = this.#seen.get(keyOf(pair)) ?? seenOf(pair);
    this.#seen.set(keyOf(pair), found);
    return found;
  }
}

const keyOf = ({ interface: name, environment, account }: Named): string =>
  JSON.stringify([name, environment, account]);

function remember<Item>(list: Item[], item: Item): void {
  list.push(item);
  if (list.length > REMEMBERED) list.shift();
}

/** `easy sandbox`, with the definition before and the account after it if there is one. */
export function nameOf(named: Named & Pick<ShownRequest, 'provider'>): string {
  const { provider, interface: name, environment, account } = named;
  if (name === undefined) return 'unknown address';
  return [provider, name, environment, account].filter((part) => part !== undefined).join(' ');
}

/** A token in a path: a client made a mistake, but the output must not repeat the token (S10). */
const JWT = /eyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g;

/** A query may hold anything, so only its presence is shown. */
function shownPath(target: string): string {
  const [path = '', query] = target.split('?', 2);
  return harmless(path.replaceAll(JWT, '[redacted]')) + (query === undefined ? '' : '?…');
}

function reasonOf({ status, findings }: ReceivedRequest<string, string>, isOfDoctor: boolean): string {
  const { reason, fault, isComplete } = findings;
  if (fault !== undefined) {
    if (status === undefined) return 'caused by a fault: no answer';
    if (!isComplete) return 'caused by a fault: the answer broke off';
    return status === 200 && reason.startsWith('token issued')
      ? `caused by a fault: ${reason}`
      : 'caused by a fault';
  }
  if (status === undefined) return 'the client left before the answer';
  return isOfDoctor ? `${reason}; from the doctor, not counted` : reason;
}
