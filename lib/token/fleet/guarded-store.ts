import {
  type StoreAnswer,
  type StoreClaim,
  type StorePublication,
  type StoreRelease,
  type TokenStore,
  TRIAL,
} from '../../config/options/token-store.js';
import { type CredentialReading, SEAL_KEY } from '../../config/secret-sources/secret-sources.js';
import { errorWord } from '../../errors/error-code.js';
import { revealed, type Secret } from '../../secrets/secret.js';
import type { Clock } from '../../time/clock.js';
import { Deadline } from '../../time/deadline.js';
import { backoffMs, jitterFactor, type Random } from '../../time/backoff.js';
import { settledWithin, SharedReading, TooSlowError } from '../../time/within.js';
import { storeStateChannel } from '../../events/provider-auth-events.js';
import { LogThrottle } from '../../logging/log-throttle.js';
import { SafeLogger } from '../../logging/safe-logger.js';

/** In this time two clocks that work well drift apart by less than a second. */
const TRUSTED_FOR_MS = 6 * 60 * 60 * 1000;
/** Normal corrections of a clock are smaller. A larger step means that the machine slept, or its clock was set. */
const LARGEST_STEP_MS = 1_000;

const DEFAULT_TIMEOUT_MS = 250;
/** For the secret of a pair, and for the one after it. */
const CLOCKS_OF_A_PAIR = 2;
const PAUSE = { firstMs: 1_000, longestMs: 30_000 };

/**
 * Guards a store, so that the store can only help (B10). Each operation has a deadline. After a failure the store is left
 * alone for a while, longer each time. No operation rejects: `undefined` means that the process goes on without the store.
 */
export class GuardedStore {
  /** One guard for each store, also if several profiles share it: a failure concerns all of them and is logged once. */
  static readonly #guards = new WeakMap<TokenStore, GuardedStore>();

  readonly #timeoutMs: number;
  /** A key that cannot be read concerns no other client, so the store is not left alone. */
  readonly #sealReport = new StoreReport(undefined, 'store.sealKey');
  #hasSealTrouble = false;
  #sealKeyHangs = false;
  readonly #keyLooks = new SharedReading<CredentialReading | undefined>();
  #nextKeyTrial: Deadline | undefined;
  /** Without the clock of its entry, a renewal cannot take the lease, so there are as many clocks as tokens (B33). */
  #mostClocks = CLOCKS_OF_A_PAIR;
  readonly #clocks = new Map<string, StoreClock>();
  #consecutiveFailures = 0;
  #pausedUntil: Deadline | undefined;
  /** The entry of the last operation that failed. */
  #failedName = '';
  #isBeingTried = false;

  constructor(
    private readonly store: TokenStore,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly report = new StoreReport(undefined, store.host),
  ) {
    this.#timeoutMs = store.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  static of(store: TokenStore, clock: Clock, random: Random): GuardedStore {
    const guard = this.#guards.get(store) ?? new GuardedStore(store, clock, random);
    this.#guards.set(store, guard);
    return guard;
  }

  /** A pair uses this store, with so many tokens of accounts and scopes at most. */
  forPair(mostAccounts: number): this {
    this.#mostClocks += mostAccounts + CLOCKS_OF_A_PAIR;
    return this;
  }

  /** From a failure until the store works again, including the pauses. */
  get isFailing(): boolean {
    return this.#consecutiveFailures > 0 || this.#hasSealTrouble;
  }

  /**
   * A health check or a gauge asks. While a token is valid, nothing else asks the store, so only this shows that it works again
   * (B35). It costs a message after each pause, and a reading of a failed key each second.
   */
  asked(): void {
    if (this.#hasSealTrouble && this.#nextKeyTrial?.hasCome(this.clock) !== false) {
      this.#nextKeyTrial = Deadline.after(this.clock, PAUSE.firstMs);
      void this.lookAtSealKey(this.#timeoutMs);
    }
    const failures = this.#consecutiveFailures;
    if (failures === 0 || this.#isBeingTried) return;
    this.#isBeingTried = true;
    // It writes, because a full or read-only Redis still reads. In a cluster, only the machine of the entry that failed counts.
    const claim = { name: this.#failedName + TRIAL, lease: { owner: 'trial', ms: 1 } };
    const tried = this.#attempt(this.#failedName, () => answerTo(claim, this.store));
    void tried.finally(() => {
      this.#isBeingTried = false;
      // Renewals count how long the store is left alone.
      this.#consecutiveFailures = Math.min(this.#consecutiveFailures, failures);
    });
  }

  /** The store's clock for this entry. In a cluster each entry may be on another machine. */
  clockOf(name: string): StoreClock {
    const clock = this.#clocks.get(name) ?? new StoreClock(this.clock);
    this.#clocks.delete(name);
    this.#clocks.set(name, clock);
    const [unused = name] = this.#clocks.keys();
    if (this.#clocks.size > this.#mostClocks) this.#clocks.delete(unused);
    return clock;
  }

  /** The key for clients without a secret or a private key (B32). Undefined if it cannot be read. */
  async sealKey(withinMs: number): Promise<Secret | undefined> {
    this.#keyLooks.forget();
    let isSlow = false;
    const asked = settledWithin(this.#patienceForKey(withinMs), this.#readKey(), this.clock, 'background');
    const reading = await asked.catch((error: unknown) => {
      isSlow = error instanceof TooSlowError;
      return undefined;
    });
    this.#sealKeyHangs = isSlow;
    return this.#keyIn(reading);
  }

  /** The same where callers wait only briefly. Then a slow key is no trouble. */
  lookAtSealKey(withinMs: number): Promise<Secret | undefined> {
    // A reading that hangs must not keep the next looks from reading again.
    const read = (): Promise<CredentialReading | undefined> =>
      settledWithin(PAUSE.longestMs, this.#readKey(), this.clock, 'background').catch(() => undefined);
    const looked = this.#keyLooks.look(this.#patienceForKey(withinMs), read, this.clock);
    return looked.then(
      (reading) => this.#keyIn(reading),
      () => undefined,
    );
  }

  #readKey(): Promise<CredentialReading> {
    // A function that needs this token itself must find its renewal, which is known only after this turn, and wait for it.
    const asked = Promise.resolve().then(async () => SEAL_KEY.read(revealed(await this.store.sealKey?.())));
    const answered = (): void => void (this.#sealKeyHangs = false);
    asked.then(answered, answered);
    return asked;
  }

  /** A key that hangs delays one renewal, as a store does (B10). As soon as it answers, the next renewal waits for it again. */
  #patienceForKey(withinMs: number): number {
    return this.#sealKeyHangs ? Math.min(withinMs, this.#timeoutMs) : withinMs;
  }

  #keyIn(reading: CredentialReading | undefined): Secret | undefined {
    const key = reading === undefined || 'flaw' in reading ? undefined : reading.credential;
    this.#hasSealTrouble = key === undefined;
    if (key) this.#sealReport.recovered(this.isFailing);
    else this.#sealReport.failing('its sealKey cannot be read', Deadline.after(this.clock, 0).date);
    return key;
  }

  async claim(claim: StoreClaim): Promise<StoreAnswer | undefined> {
    const { name, lease } = claim;
    const asked = Deadline.after(this.clock, 0);
    const answer = await this.#attempt(
      name,
      () => answerTo(claim, this.store),
      (late) => {
        // This process goes on without this lease. Without this release, the others would wait for its end.
        if (late.state !== 'leased' || lease === undefined) return;
        const release = async (): Promise<void> => this.store.release({ name, owner: lease.owner });
        release().catch(() => {});
      },
    );
    if (answer) this.clockOf(name).record(answer.now, asked);
    return answer;
  }

  /** No caller waits for this: the token is in use before the other processes can read it. */
  publish(publication: StorePublication): void {
    void this.#attempt(publication.name, async () => this.store.publish(publication));
  }

  /** No caller waits for this. A lease that cannot be released ends by itself. */
  release(release: StoreRelease): void {
    void this.#attempt(release.name, async () => this.store.release(release));
  }

  /**
   * @param operation an async function, so that a store that throws is treated as a store that rejects.
   * @param onLate gets a result that came after its time.
   */
  async #attempt<Result>(
    name: string,
    operation: () => Promise<Result>,
    onLate: (result: Result) => void = () => {},
  ): Promise<Result | undefined> {
    if (this.#pausedUntil?.hasCome(this.clock) === false) return undefined;
    const running = operation();
    try {
      const result = await settledWithin(this.#timeoutMs, running, this.clock, 'background');
      this.#worked();
      return result;
    } catch (error) {
      const isLate = error instanceof TooSlowError;
      running.then(onLate, () => {});
      const why = isLate ? `no answer within ${this.#timeoutMs} ms` : (errorWord(error) ?? 'it rejects');
      this.#failed(name, why);
      return undefined;
    }
  }

  #worked(): void {
    // An answer to a message from before the pause says nothing about the store now.
    if (this.#pausedUntil?.hasCome(this.clock) === false) return;
    this.#consecutiveFailures = 0;
    this.#pausedUntil = undefined;
    this.report.recovered(this.isFailing);
  }

  #failed(name: string, why: string): void {
    if (this.#pausedUntil?.hasCome(this.clock) === false) return;
    this.#failedName = name;
    const ms = backoffMs(PAUSE, this.#consecutiveFailures) * jitterFactor(this.random);
    this.#pausedUntil = Deadline.after(this.clock, ms);
    this.#consecutiveFailures += 1;
    this.report.failing(why, this.#pausedUntil.date);
  }
}

/** An application may use its own store: an answer of a wrong form counts as a failure. */
async function answerTo(claim: StoreClaim, store: TokenStore): Promise<StoreAnswer> {
  const answer = await store.claim(claim);
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

/** Redis says by a code what its user lacks. */
function adviceOn(why: string): string {
  if (why === 'NOPERM') return 'Check the rights of the user of the Redis client.';
  if (why === 'NOAUTH' || why === 'WRONGPASS') return 'Check the user and password of the Redis client.';
  return 'Check the store and the connection to it.';
}

/** Logs one warning when the store starts to fail and one line when it works again (B10). */
export class StoreReport {
  readonly #logger: Pick<SafeLogger, 'warn' | 'log'>;
  readonly #throttle = new LogThrottle();
  /** How a line ends: with its code, and with the host of the store if it is known. */
  readonly #about: string;

  /** @param host where the store is. */
  constructor(logger: Pick<SafeLogger, 'warn' | 'log'> = new SafeLogger(), host?: string) {
    this.#logger = logger;
    this.#about = host === undefined ? '' : `, ${host}`;
  }

  /** @param why a code or our own words. An error text of a client may contain what was sent. */
  failing(why: string, retryAt: Date): void {
    if (!this.#throttle.begins()) return;
    this.#logger.warn(
      `The token store fails (${why}). Requests go on: this process requests its own tokens and tries the store ` +
        `again by itself. ${adviceOn(why)} (STORE_FAILING${this.#about})`,
    );
    if (storeStateChannel.hasSubscribers) storeStateChannel.publish({ state: 'failing', why, retryAt });
  }

  /** @param isFailing whether another part of the store still fails, so that no `recovered` is published. */
  recovered(isFailing = false): void {
    if (!this.#throttle.ends()) return;
    const subject = isFailing ? 'This part of the token store' : 'The token store';
    const rest = isFailing ? ', but another part still fails' : '';
    this.#logger.log(`${subject} works again${rest}. (STORE_RECOVERED${this.#about})`);
    if (!isFailing && storeStateChannel.hasSubscribers) storeStateChannel.publish({ state: 'recovered' });
  }
}

/** What a process knows of the store's clock, which the store read at some moment between the question and the answer. */
export class StoreClock {
  #seen: { readonly now: number; readonly asked: Deadline; readonly answered: Deadline } | undefined;

  constructor(private readonly clock: Clock) {}

  record(now: number, asked: Deadline): void {
    this.#seen = { now, asked, answered: Deadline.after(this.clock, 0) };
  }

  /** The store's clock shows this moment or a later one. Undefined if the process does not know. */
  get earliest(): number | undefined {
    return this.#seen && this.#countedFrom(this.#seen.now, this.#seen.answered);
  }

  /** The store's clock shows this moment or an earlier one. Undefined if the process does not know. */
  get latest(): number | undefined {
    return this.#seen && this.#countedFrom(this.#seen.now, this.#seen.asked);
  }

  #countedFrom(now: number, moment: Deadline): number | undefined {
    const passed = this.clock.monotonic() - moment.monotonic;
    const passedByWall = this.clock.wall() - moment.wall;
    if (passed > TRUSTED_FOR_MS || Math.abs(passedByWall - passed) > LARGEST_STEP_MS) return undefined;
    return Math.floor(now + passed);
  }
}
