import type { AnyPair } from '../../catalogue/catalogue.js';
import type { ProviderSimulator } from '../../testing/index.js';
import type { ObservedRequest } from '../../testing/simulator/request-observers.js';
import { harmless } from '../server-text.js';

/** A request as it is shown: no query, no credential, no token. */
export interface ShownRequest {
  /** Counts all requests since the start. */
  readonly id: number;
  readonly at: string;
  readonly kind: 'token' | 'api';
  readonly interface?: string;
  readonly environment?: string;
  readonly method: string;
  readonly path: string;
  /** Absent if there was no HTTP answer. */
  readonly status?: number;
  readonly reason: string;
  readonly ok: boolean;
  readonly durationMs: number;
  /** Counts the requests of this kind and pair. */
  readonly count: number;
}

/** One pair: its newest token and what was asked so far. */
export interface PairOverview extends AnyPair {
  readonly token: {
    readonly state: 'none' | 'valid' | 'expired' | 'revoked';
    readonly fingerprint?: string;
    /** Milliseconds since 1970. */
    readonly expiresAt?: number;
    readonly lifetimeMs?: number;
  };
  readonly tokenRequests: number;
  readonly apiRequests: number;
  readonly failed: number;
  /** Token requests that came too early: the last token was valid for at least half of its life. */
  readonly early: number;
}

export interface Counts {
  readonly tokenRequests: number;
  readonly apiRequests: number;
  readonly failed: number;
  readonly early: number;
}

type MutableCounts = { -readonly [Name in keyof Counts]: Counts[Name] };

/** A token in a path: a client made a mistake, but the output must not repeat the token (S10). */
const JWT = /eyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g;

const none = (): MutableCounts => ({ tokenRequests: 0, apiRequests: 0, failed: 0, early: 0 });

/** Counts the requests of a simulator and turns each of them into what is shown. */
export class Overview {
  readonly #provider: ProviderSimulator;
  readonly #total = none();
  readonly #byPair = new Map<string, MutableCounts>();
  /** Pairs whose token the API has refused since it was issued. A new token is then no early token. */
  readonly #refused = new Set<string>();
  #id = 0;

  constructor(provider: ProviderSimulator) {
    this.#provider = provider;
  }

  get counts(): Counts {
    return { ...this.#total };
  }

  pairs(): readonly PairOverview[] {
    return this.#provider.pairs.map((pair) => {
      const newest = this.#provider.newestToken(pair);
      return { ...pair, token: newest ?? { state: 'none' }, ...this.#countsOf(keyOf(pair)) };
    });
  }

  add(request: ObservedRequest): ShownRequest {
    const key = keyOf(request);
    const { kind, status, isEarly } = request;
    const counts = this.#countsOf(key);
    const ok = status !== undefined && status < 400 && request.isComplete;
    const early = isEarly && status === 200 && !this.#refused.has(key);
    if (kind === 'token' && status === 200) this.#refused.delete(key);
    if (status !== undefined && request.refusedWith.includes(status)) this.#refused.add(key);
    for (const one of [this.#total, counts]) {
      one[kind === 'token' ? 'tokenRequests' : 'apiRequests'] += 1;
      if (!ok) one.failed += 1;
      if (early) one.early += 1;
    }
    this.#id += 1;
    return {
      id: this.#id,
      at: request.at.toISOString(),
      kind,
      ...(request.interface !== undefined && { interface: request.interface }),
      ...(request.environment !== undefined && { environment: request.environment }),
      method: harmless(request.method),
      path: shownPath(request.path),
      ...(status !== undefined && { status }),
      reason: reasonOf(request, early),
      ok,
      durationMs: Math.round(request.durationMs),
      count: kind === 'token' ? counts.tokenRequests : counts.apiRequests,
    };
  }

  #countsOf(key: string): MutableCounts {
    const found = this.#byPair.get(key) ?? none();
    this.#byPair.set(key, found);
    return found;
  }
}

/** A query may hold anything, so only its presence is shown. */
export function shownPath(target: string): string {
  const [path = '', query] = target.split('?', 2);
  return harmless(path.replaceAll(JWT, '[redacted]')) + (query === undefined ? '' : '?…');
}

function reasonOf({ reason, isFault, status, isComplete }: ObservedRequest, early: boolean): string {
  if (isFault) {
    if (status === undefined) return 'a fault: no answer';
    if (!isComplete) return 'a fault: the answer broke off';
    return status === 200 && reason.startsWith('token issued') ? `a fault: ${reason}` : 'a fault';
  }
  if (status === undefined) return 'the client left before the answer';
  if (early) return `${reason}; the last token was still valid`;
  return reason;
}

function keyOf({
  interface: name,
  environment,
}: {
  interface?: string | undefined;
  environment?: string | undefined;
}): string {
  return `${name} ${environment}`;
}
