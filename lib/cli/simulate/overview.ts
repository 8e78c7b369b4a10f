import type { AnyPair } from '../../catalogue/catalogue.js';
import type { ProviderSimulator } from '../../testing/index.js';
import type { ObservedRequest } from '../../testing/simulator/request-observers.js';
import { numberOf } from '../number-of.js';
import { harmless } from '../server-text.js';
import type { Counts, ShownRequest } from './shown.js';
import { Stories } from './stories.js';
import { type Facts, headlineOf, type Verdict, verdictOf } from './verdict.js';

/** One pair, or one account of a pair: its newest token, what was asked so far, and one sentence about it. */
export interface PairOverview extends Partial<AnyPair>, Facts {
  readonly name: string;
  readonly token: {
    readonly state: 'none' | 'valid' | 'expired' | 'revoked';
    readonly fingerprint?: string;
    /** Milliseconds since 1970. */
    readonly expiresAt?: number;
    readonly lifetimeMs?: number;
  };
  readonly verdict: Verdict;
}

type MutableCounts = { -readonly [Name in keyof Counts]: Counts[Name] };

/** What is known of one pair, or of one account of it. */
interface Seen {
  readonly pair: AnyPair;
  readonly counts: MutableCounts;
  readonly failures: {
    tokenFailures: number;
    tokenFailure: string;
    callFailures: number;
    callFailure: string;
  };
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
  unsent: 0,
  early: 0,
});

/** Counts the requests of a simulator and turns each of them into what is shown. */
export class Overview {
  readonly #provider: ProviderSimulator;
  #total = none();
  #stories = new Stories();
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
    this.#stories = new Stories();
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
  get stories(): Stories {
    return this.#stories;
  }

  /** All pairs, and one sentence about everything. */
  get summary(): { readonly pairs: readonly PairOverview[]; readonly headline: Verdict } {
    const pairs = this.pairs();
    return { pairs, headline: headlineOf(pairs, this.#total) };
  }

  /** The pairs and their accounts, and one more for unknown addresses as soon as a request has come to one. */
  pairs(): readonly PairOverview[] {
    const pairs = [...this.#seen.values()].filter(({ pair }) => pair.interface !== undefined);
    const overviews = pairs.map(({ pair, counts, failures }) => {
      const token = this.#provider.newestToken(pair) ?? { state: 'none' as const };
      const facts = { ...counts, ...failures, token };
      return { ...pair, name: nameOf(pair), ...facts, verdict: verdictOf(facts) };
    });
    return [...overviews, ...this.#unknownAddresses()];
  }

  /** Without it, an application with a wrong base URL would look fine (B29). */
  #unknownAddresses(): PairOverview[] {
    const { counts, failures } = this.#nowhere;
    const requests = counts.tokenRequests + counts.apiRequests;
    if (requests === 0) return [];
    const facts = { ...counts, ...failures, token: { state: 'none' as const } };
    const fails = failures.tokenFailures + failures.callFailures > 0;
    const verdict = fails
      ? verdictOf({ ...facts, token: { state: 'valid' } })
      : { level: 'idle' as const, text: `${numberOf(requests, 'request')} to addresses that no pair has.` };
    return [{ name: UNKNOWN_ADDRESS, ...facts, verdict }];
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
    noteFailure(
      seen,
      kind,
      ok ? undefined : `${status ?? 'no answer'}${request.fault === undefined ? ` ${reason}` : ''}`,
    );
    // The addresses are right again.
    if (ok) noteFailure(this.#nowhere, kind, undefined);
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
    const resendOf = this.#stories.add(nameOf(shown), shown, isRefused && reason !== 'no token');
    if (resendOf === undefined) return shown;
    if (ok) for (const one of [this.#total, seen.counts]) one.recovered += 1;
    return { ...shown, resendOf };
  }

  /** A client of this pair has started, so it has no token yet. */
  noteStart(pair: AnyPair): void {
    this.#seenOf(pair).needsToken = true;
  }

  /** A caller of this pair had no token, so its call never left. */
  noteUnsent(pair: AnyPair): void {
    for (const one of [this.#total, this.#seenOf(pair).counts]) one.unsent += 1;
  }

  #seenOf({ interface: name, environment, account }: AnyPair): Seen {
    const key = [name, environment, account].join(' ');
    const found = this.#seen.get(key);
    if (found !== undefined) return found;
    const seen = {
      pair: { interface: name, environment, ...(account !== undefined && { account }) },
      counts: none(),
      failures: { tokenFailures: 0, tokenFailure: '', callFailures: 0, callFailure: '' },
      needsToken: false,
    };
    this.#seen.set(key, seen);
    return seen;
  }
}

function noteFailure({ failures }: Seen, kind: ShownRequest['kind'], failure: string | undefined): void {
  const names = { token: ['tokenFailures', 'tokenFailure'], api: ['callFailures', 'callFailure'] } as const;
  const [inARow, last] = names[kind];
  failures[inARow] = failure === undefined ? 0 : failures[inARow] + 1;
  failures[last] = failure ?? '';
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
