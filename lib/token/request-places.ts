import type { Clock } from '../time/clock.js';
import { aborted, onAbort } from '../values/abortable.js';

/** How many token requests an application sends to one origin at the same time. */
const MOST_AT_ONCE = 32;

/** Permission to send one token request. Given back before any wait that is not for the answer. */
export interface Place {
  readonly waitedMs: number;
  /** Has an effect only once. */
  giveBack(): void;
}

/** Resolves when there is a place. Rejects when the signal aborts first. */
export type TakePlace = (signal?: AbortSignal) => Promise<Place>;

/** The place of one renewal. Taken before each claim and each attempt, and given back before each wait that is not for an answer. */
export class Slot {
  /** How long the renewal has waited for places. */
  waitedMs = 0;
  #place: Place | undefined;

  constructor(private readonly takePlace: TakePlace) {}

  async take(signal: AbortSignal | undefined): Promise<void> {
    if (this.#place) return;
    this.#place = await this.takePlace(signal);
    this.waitedMs += this.#place.waitedMs;
  }

  giveBack(): void {
    this.#place?.giveBack();
    this.#place = undefined;
  }
}

type Kind = 'own' | 'account';

/**
 * The places of the token requests to one origin. Without a limit, thousands of accounts without a token would all connect at the
 * same moment. The request that has waited longest is next.
 */
export class RequestPlaces {
  readonly #taken: Record<Kind, number> = { own: 0, account: 0 };
  readonly #waiting: Record<Kind, Set<() => void>> = { own: new Set(), account: new Set() };
  #pairs = 0;

  /** @param onQuiet is called when a request has ended and no other waits. */
  constructor(
    private readonly clock: Clock,
    private readonly onQuiet: () => void,
  ) {}

  /**
   * Accounts leave one place free for each pair, so the request for a pair's own token never waits for theirs. Accounts always
   * have one place. So only from 32 pairs on, all without a token, may one of them wait for one account.
   */
  ofPair(): TakePlace {
    this.#pairs += 1;
    return (signal) => this.#take('own', signal);
  }

  ofAccounts(): TakePlace {
    return (signal) => this.#take('account', signal);
  }

  #take(kind: Kind, signal: AbortSignal | undefined): Promise<Place> {
    if (signal?.aborted) return aborted(signal);
    const since = this.clock.monotonic();
    const waiting = this.#waiting[kind];
    return new Promise((resolve) => {
      const start = (): void => {
        leave();
        this.#taken[kind] += 1;
        let isHeld = true;
        const giveBack = (): void => {
          if (isHeld) this.#giveBack(kind);
          isHeld = false;
        };
        resolve({ waitedMs: this.clock.monotonic() - since, giveBack });
      };
      const unsubscribe =
        signal &&
        onAbort(signal, () => {
          leave();
          resolve(aborted(signal));
        });
      const leave = (): void => {
        waiting.delete(start);
        unsubscribe?.();
      };
      waiting.add(start);
      this.#startNext();
    });
  }

  #giveBack(kind: Kind): void {
    this.#taken[kind] -= 1;
    const { own, account } = this.#waiting;
    if (own.size + account.size === 0) this.onQuiet();
    else this.#startNext();
  }

  /** Called for each place and each request that comes, so at most one request can start. */
  #startNext(): void {
    const { own, account } = this.#taken;
    if (own + account >= MOST_AT_ONCE) return;
    const mayBeAccount = this.#waiting.own.size === 0 && account < Math.max(1, MOST_AT_ONCE - this.#pairs);
    const [next] = mayBeAccount ? this.#waiting.account : this.#waiting.own;
    next?.();
  }
}
