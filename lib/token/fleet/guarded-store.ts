import type {
  StoreAnswer,
  StoreClaim,
  StorePublication,
  StoreRelease,
  TokenStore,
} from '../../config/options/token-store.js';
import type { Clock, TimerKind } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';
import { jitterFactor, type Random } from '../../time/random.js';
import { StoreClock } from './store-clock.js';
import { StoreReport } from './store-report.js';

const DEFAULT_TIMEOUT_MS = 250;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A changed secret has another entry; a process that runs for years sees many. */
const MOST_CLOCKS = 100;

/**
 * A store that can only help (B10): it has a deadline for each operation, is left alone for a while after a failure,
 * longer each time, and never rejects. Whatever is wrong with it, `undefined` means: go on without.
 */
export class GuardedStore {
  /** One guard for a store, however many profiles share it: it fails for all of them, and that is said once. */
  static readonly #guards = new WeakMap<TokenStore, GuardedStore>();

  readonly #store: TokenStore;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #report: StoreReport;
  readonly #clocks = new Map<string, StoreClock>();
  #failures = 0;
  #pausedUntil: Deadline | undefined;

  constructor(store: TokenStore, clock: Clock, random: Random, report = new StoreReport()) {
    this.#store = store;
    this.#timeoutMs = store.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#clock = clock;
    this.#random = random;
    this.#report = report;
  }

  static of(store: TokenStore, clock: Clock, random: Random): GuardedStore {
    const guard = this.#guards.get(store) ?? new GuardedStore(store, clock, random);
    this.#guards.set(store, guard);
    return guard;
  }

  /** From a failure until the store works again, the pauses between included. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** The store's clock, as the answers for this entry tell it: in a cluster each entry may lie on another machine. */
  clockOf(name: string): StoreClock {
    const known = this.#clocks.get(name);
    if (known) return known;
    const [oldest] = this.#clocks.keys();
    if (oldest !== undefined && this.#clocks.size >= MOST_CLOCKS) this.#clocks.delete(oldest);
    const clock = new StoreClock(this.#clock);
    this.#clocks.set(name, clock);
    return clock;
  }

  async claim(claim: StoreClaim, kind: TimerKind): Promise<StoreAnswer | undefined> {
    const { name, lease } = claim;
    const asked = Deadline.after(this.#clock, 0);
    const answer = await this.#attempt(
      async () => checked(await this.#store.claim(claim)),
      kind,
      (late) => {
        // Nobody waits for it any more: without this the others would wait for a process that does not fetch.
        if (late.state !== 'leased' || lease === undefined) return;
        const release = async (): Promise<void> => this.#store.release({ name, owner: lease.owner });
        release().catch(() => {});
      },
    );
    if (answer) this.clockOf(name).saw(answer.now, asked);
    return answer;
  }

  /** Nobody waits for it: the token is in use before the others can read it. */
  publish(publication: StorePublication): void {
    void this.#attempt(async () => this.#store.publish(publication), 'background');
  }

  /** Nobody waits for it either; a lease that cannot be released ends by itself. */
  release(release: StoreRelease): void {
    void this.#attempt(async () => this.#store.release(release), 'background');
  }

  /** Operations are async functions, so that a store that throws instead of rejecting is no different. */
  #attempt<Result>(
    operation: () => Promise<Result>,
    kind: TimerKind,
    onLate: (result: Result) => void = () => {},
  ): Promise<Result | undefined> {
    if (this.#pausedUntil?.hasCome(this.#clock) === false) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      let late = false;
      const giveUp = (): void => {
        late = true;
        resolve(undefined);
        this.#failed(`no answer within ${this.#timeoutMs} ms`);
      };
      // A busy process finds its timers due before it reads what has long arrived: it reads once more, then gives up.
      let disarm = this.#clock.after(
        this.#timeoutMs,
        () => {
          disarm = this.#clock.after(0, giveUp, kind);
        },
        kind,
      );
      operation().then(
        (result) => {
          if (late) return onLate(result);
          disarm();
          resolve(result);
          return this.#worked();
        },
        (error: unknown) => {
          if (late) return;
          disarm();
          resolve(undefined);
          this.#failed(codeOf(error));
        },
      );
    });
  }

  #worked(): void {
    // What was sent before the pause began says nothing about the time since.
    if (this.#failures === 0 || this.#pausedUntil?.hasCome(this.#clock) === false) return;
    this.#failures = 0;
    this.#pausedUntil = undefined;
    this.#report.recovered();
  }

  #failed(why: string): void {
    if (this.#pausedUntil?.hasCome(this.#clock) === false) return;
    const ms = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS) * jitterFactor(this.#random);
    this.#pausedUntil = Deadline.after(this.#clock, ms);
    this.#failures += 1;
    if (this.#failures === 1) this.#report.failing(why, this.#pausedUntil.date);
  }
}

/** Anybody may write a store: an answer that is none counts as a failure. */
function checked(answer: StoreAnswer): StoreAnswer {
  const { state, now } = answer;
  const known =
    state === 'leased' ||
    state === 'free' ||
    (state === 'held' &&
      Number.isFinite(answer.expiresAt) &&
      [answer.note, answer.holder].every((text) => text === undefined || typeof text === 'string')) ||
    (state === 'found' && Number.isFinite(answer.expiresAt) && typeof answer.value === 'string');
  if (!known || !Number.isFinite(now)) throw new TypeError('NOT_AN_ANSWER');
  return answer;
}

/** A code of Node's (`ECONNREFUSED`) or the first word of a Redis error (`OOM`); never a text, which may quote what was sent. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it rejects';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
  return /^[A-Z][A-Z_]{1,15}(?= |$)/.exec(code)?.[0] ?? 'it rejects';
}
