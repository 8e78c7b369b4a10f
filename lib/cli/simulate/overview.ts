import type { AnyPair } from '../../catalogue/catalogue.js';
import type { ProviderSimulator } from '../../testing/index.js';
import type { ObservedRequest } from '../../testing/simulator/request-observers.js';
import { harmless } from '../server-text.js';
import { LastMinute } from './last-minute.js';
import { Refusals } from './refusals.js';
import type { Counts, ShownRequest } from './shown.js';

/** The last failure of a pair. */
export interface Failure {
  readonly at: string;
  readonly kind: ShownRequest['kind'];
  /** What it got, and why. */
  readonly text: string;
  /** Whether a later request of the same kind has worked. */
  readonly isOver: boolean;
}

/** One pair, or one account of a pair: its newest token, what was asked so far, and its last failure. */
export interface PairOverview extends Partial<AnyPair>, Counts {
  readonly name: string;
  readonly token: {
    readonly state: 'none' | 'valid' | 'expired' | 'revoked';
    readonly fingerprint?: string;
    /** Milliseconds since 1970. */
    readonly expiresAt?: number;
    readonly lifetimeMs?: number;
  };
  /** One that is not over comes before one that is. */
  readonly failure?: Failure;
}

type MutableCounts = { -readonly [Name in keyof Counts]: Counts[Name] };

/** What is known of one pair, or of one account of it. */
interface Seen {
  readonly pair: AnyPair;
  readonly counts: MutableCounts;
  readonly failures: Map<ShownRequest['kind'], Failure>;
  /** Whether the API has refused the token since it was issued, or a client has started. A new token is then no early token. */
  needsToken: boolean;
}

/** A token in a path: a client made a mistake, but the output must not repeat the token (S10). */
const JWT = /eyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g;

const none = (): MutableCounts => ({
  tokenRequests: 0,
  apiRequests: 0,
  failed: 0,
  failedTokenRequests: 0,
  failedCalls: 0,
  recovered: 0,
  early: 0,
});

/** Counts the requests of a simulator and turns each of them into what is shown. */
export class Overview {
  readonly #provider: ProviderSimulator;
  #total = none();
  #refusals = new Refusals();
  #minute = new LastMinute();
  /** Each pair, each account that was seen, and addresses that no pair has. */
  readonly #seen = new Map<string, Seen>();
  /** Requests to addresses that no pair has. */
  #nowhere: Seen;
  #id = 0;

  constructor(provider: ProviderSimulator) {
    this.#provider = provider;
    this.#nowhere = this.#begin();
  }

  /** All counts begin at 0 again. The ids go on. */
  clear(): void {
    this.#seen.clear();
    this.#total = none();
    this.#refusals = new Refusals();
    this.#minute = new LastMinute();
    this.#nowhere = this.#begin();
  }

  #begin(): Seen {
    for (const pair of this.#provider.pairs) this.#seenOf(pair);
    return this.#seenOf({} as AnyPair);
  }

  get counts(): Counts {
    return { ...this.#total };
  }

  /** Refused tokens, and what the applications did then. */
  get refusals(): Pick<Refusals, 'list'> {
    return this.#refusals;
  }

  get minute(): Pick<LastMinute, 'list'> {
    return this.#minute;
  }

  /** The pairs and their accounts, and one more for unknown addresses as soon as a request has come to one. */
  pairs(): readonly PairOverview[] {
    return [...this.#seen.values()].flatMap(({ pair, counts, failures }) => {
      // Without this row, an application with a wrong base URL would look fine.
      const isUnknown = pair.interface === undefined;
      if (isUnknown && counts.tokenRequests + counts.apiRequests === 0) return [];
      const token = (isUnknown ? undefined : this.#provider.newestToken(pair)) ?? { state: 'none' as const };
      const failure = worstOf([...failures.values()]);
      return { ...pair, name: nameOf(pair), ...counts, token, ...(failure !== undefined && { failure }) };
    });
  }

  add(request: ObservedRequest): ShownRequest {
    const seen = this.#seenOf(request as AnyPair);
    const { kind, status, isEarly } = request;
    const isToken = kind === 'token';
    const ok = status !== undefined && status < 400 && request.isComplete;
    const early = isEarly && status === 200 && !seen.needsToken;
    if (isToken && status === 200) seen.needsToken = false;
    const isRefused = status !== undefined && request.refusedWith.includes(status);
    if (isRefused) seen.needsToken = true;
    for (const one of [this.#total, seen.counts]) {
      one[isToken ? 'tokenRequests' : 'apiRequests'] += 1;
      if (!ok) one.failed += 1;
      if (!ok) one[isToken ? 'failedTokenRequests' : 'failedCalls'] += 1;
      if (early) one.early += 1;
    }
    const reason = reasonOf(request, early);
    if (!ok) {
      const text = `${isToken ? 'token request' : 'call'}: ${status ?? 'no answer'}, ${reason}`;
      seen.failures.set(kind, { at: request.at.toISOString(), kind, text, isOver: false });
      // A request that works says that the addresses are right again, too.
    } else for (const one of [seen, this.#nowhere]) endFailure(one, kind);
    this.#id += 1;
    const { interface: name, environment, account } = request;
    const shown: ShownRequest = {
      id: this.#id,
      at: request.at.toISOString(),
      kind,
      ...(name !== undefined && { interface: name }),
      ...(environment !== undefined && { environment }),
      ...(account !== undefined && { account }),
      method: harmless(request.method),
      path: shownPath(request.path),
      ...(status !== undefined && { status }),
      reason,
      ok,
      ...(request.fault !== undefined && { fault: request.fault }),
      durationMs: Math.round(request.durationMs),
      count: isToken ? seen.counts.tokenRequests : seen.counts.apiRequests,
    };
    const resendOf = this.#refusals.add(nameOf(shown), shown, isRefused && reason !== 'no token');
    const all = { ...shown, ...(resendOf !== undefined && { resendOf }) };
    this.#minute.add(all);
    if (resendOf !== undefined && ok) for (const one of [this.#total, seen.counts]) one.recovered += 1;
    return all;
  }

  /** A client of this pair has started, so it has no token yet. */
  noteStart(pair: AnyPair): void {
    this.#seenOf(pair).needsToken = true;
  }

  #seenOf({ interface: name, environment, account }: AnyPair): Seen {
    const key = [name, environment, account].join(' ');
    const found = this.#seen.get(key);
    if (found !== undefined) return found;
    const seen = {
      pair: { interface: name, environment, ...(account !== undefined && { account }) },
      counts: none(),
      failures: new Map(),
      needsToken: false,
    };
    this.#seen.set(key, seen);
    return seen;
  }
}

function endFailure({ failures }: Seen, kind: Failure['kind']): void {
  const failure = failures.get(kind);
  if (failure !== undefined) failures.set(kind, { ...failure, isOver: true });
}

function worstOf(failures: readonly Failure[]): Failure | undefined {
  const [worst] = failures.toSorted(
    (one, other) => Number(one.isOver) - Number(other.isOver) || other.at.localeCompare(one.at),
  );
  return worst;
}

const UNKNOWN_ADDRESS = 'unknown address';

/** `easy sandbox`, and the account if there is one. */
export function nameOf({ interface: name, environment, account }: Partial<AnyPair>): string {
  return [name, environment, account].filter((part) => part !== undefined).join(' ') || UNKNOWN_ADDRESS;
}

/** A query may hold anything, so only its presence is shown. */
export function shownPath(target: string): string {
  const [path = '', query] = target.split('?', 2);
  return harmless(path.replaceAll(JWT, '[redacted]')) + (query === undefined ? '' : '?…');
}

function reasonOf({ reason, fault, status, isComplete }: ObservedRequest, early: boolean): string {
  if (fault !== undefined) {
    if (status === undefined) return 'caused by a fault: no answer';
    if (!isComplete) return 'caused by a fault: the answer broke off';
    return status === 200 && reason.startsWith('token issued')
      ? `caused by a fault: ${reason}`
      : 'caused by a fault';
  }
  if (status === undefined) return 'the client left before the answer';
  if (early) return `${reason}; the last token was still valid`;
  return reason;
}
