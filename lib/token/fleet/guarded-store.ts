import type {
  StoreAnswer,
  StoreClaim,
  StorePublication,
  StoreRelease,
  TokenStore,
} from '../../config/options/token-store.js';
import { readSealKey } from '../../secrets/secret-source.js';
import { errorWord } from '../../errors/error-code.js';
import { storeStateChannel } from '../../events/provider-auth-events.js';
import { LogThrottle } from '../../logging/log-throttle.js';
import { SafeLogger } from '../../logging/safe-logger.js';
import { revealed, type Secret } from '../../secrets/secret.js';
import { backoffMs, jitterFactor, type Random } from '../../time/backoff.js';
import { type Clock, Deadline } from '../../time/clock.js';
import { settledWithin, TooSlowError } from '../../time/within.js';
import { STORE_PAUSE, STORE_TIMEOUT_MS } from '../pauses.js';

/**
 * Guards a store, so that the store can only help. Each operation has a deadline. After a failure the store is left alone for a
 * while, longer each time. No operation rejects: `undefined` means that the process goes on without the store.
 */
export class GuardedStore {
  /** One guard for each store, also if several profiles share it: a failure concerns all of them and is logged once. */
  static readonly #guards = new WeakMap<TokenStore, GuardedStore>();
  #consecutiveFailures = 0;
  #pausedUntil: Deadline | undefined;
  #nextTrial: Deadline | undefined;
  /** The name of the operation that failed. In a cluster, another name may be on a node that works. */
  #failedName = '';
  readonly #keyThrottle = new LogThrottle();

  constructor(
    private readonly store: TokenStore,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly logger: Pick<SafeLogger, 'warn' | 'log'> = new SafeLogger(),
  ) {}

  static of(store: TokenStore, clock: Clock, random: Random): GuardedStore {
    const guard = this.#guards.get(store) ?? new GuardedStore(store, clock, random);
    this.#guards.set(store, guard);
    return guard;
  }

  /** From a failure until the store works again, including the pauses. */
  get isFailing(): boolean {
    return this.#consecutiveFailures > 0;
  }

  get #isPaused(): boolean {
    return this.#pausedUntil?.hasCome(this.clock) === false;
  }

  /** A health check or a gauge asks. Without renewals, nothing else would show that the store works again. At most once a second. */
  asked(): void {
    if (!this.isFailing || this.#isPaused || this.#nextTrial?.hasCome(this.clock) === false) return;
    this.#nextTrial = Deadline.after(this.clock, STORE_PAUSE.firstMs);
    const failures = this.#consecutiveFailures;
    const name = this.#failedName;
    const tried = this.#attempt(
      name,
      () => this.#tryToWrite(name),
      (isWritten) => isWritten,
    );
    // Renewals count how long the store is left alone.
    void tried.then(() => (this.#consecutiveFailures = Math.min(this.#consecutiveFailures, failures)));
  }

  /** A full or read-only Redis still reads. A lease of 1 ms delays no other process. False if nothing was written. */
  async #tryToWrite(name: string): Promise<boolean> {
    const lease = { owner: 'trial', ms: 1 };
    let answer = checked(await this.store.claim({ name, lease }));
    if (answer.state === 'found')
      answer = checked(await this.store.claim({ name, unwanted: { value: answer.value }, lease }));
    return answer.state !== 'held' && answer.state !== 'found';
  }

  /**
   * The key for clients without a secret or a private key. Undefined if it cannot be read. The store works for all other clients
   * then, so it does not count as failing.
   *
   * @param signal ends the wait for a slow function. That says nothing about the key.
   */
  async sealKey(withinMs: number, signal?: AbortSignal): Promise<Secret | undefined> {
    // In another turn: a function that needs this token itself must find its renewal.
    const asked = Promise.resolve().then(async () => readSealKey(revealed(await this.store.sealKey?.())));
    const key = await settledWithin(withinMs, asked, this.clock, signal).catch(() => undefined);
    if (signal?.aborted) return undefined;
    if (key === undefined && this.#keyThrottle.begins())
      this.logger.warn(
        'The sealKey of the token store cannot be read. Clients with neither a secret nor a private key request their own tokens. ' +
          'Check the function that gives the key. (STORE_FAILING, store.sealKey)',
      );
    if (key !== undefined && this.#keyThrottle.ends())
      this.logger.log('The sealKey of the token store can be read again. (STORE_RECOVERED, store.sealKey)');
    return key;
  }

  /** A lease that comes too late is given back: this process has gone on without it, and the others would wait for its end. */
  async claim(claim: StoreClaim): Promise<StoreAnswer | undefined> {
    const { name, lease } = claim;
    let isLate = false;
    const answer = await this.#attempt(name, async () => {
      const given = checked(await this.store.claim(claim));
      if (isLate && lease && given.state === 'leased') await this.store.release({ name, owner: lease.owner });
      return given;
    });
    isLate = true;
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
   * @param operation async, so that a store that throws is treated as a store that rejects.
   * @param isProof whether a result shows that the store works.
   */
  async #attempt<Result>(
    name: string,
    operation: () => Promise<Result>,
    isProof: (result: Result) => boolean = () => true,
  ): Promise<Result | undefined> {
    if (this.#isPaused) return undefined;
    const { timeoutMs = STORE_TIMEOUT_MS } = this.store;
    try {
      const result = await settledWithin(timeoutMs, operation(), this.clock);
      // An answer to a message from before the pause says nothing about the store now.
      if (!this.#isPaused && isProof(result)) this.#worked();
      return result;
    } catch (error) {
      const isLate = error instanceof TooSlowError;
      if (!this.#isPaused)
        this.#failed(name, isLate ? `no answer within ${timeoutMs} ms` : (errorWord(error) ?? 'it rejects'));
      return undefined;
    }
  }

  #worked(): void {
    if (!this.isFailing) return;
    this.#consecutiveFailures = 0;
    this.logger.log(`The token store works again. (STORE_RECOVERED${this.#about})`);
    if (storeStateChannel.hasSubscribers) storeStateChannel.publish({ state: 'recovered' });
  }

  /** @param why a code or our own words. An error text of a client may contain what was sent. */
  #failed(name: string, why: string): void {
    const wasFailing = this.isFailing;
    this.#failedName = name;
    const ms = backoffMs(STORE_PAUSE, this.#consecutiveFailures) * jitterFactor(this.random);
    this.#pausedUntil = Deadline.after(this.clock, ms);
    this.#consecutiveFailures += 1;
    if (wasFailing) return;
    this.logger.warn(
      `The token store fails (${why}). Requests go on: this process requests its own tokens and tries the store ` +
        `again by itself. ${adviceOn(why)} (STORE_FAILING${this.#about})`,
    );
    const retryAt = this.#pausedUntil.date;
    if (storeStateChannel.hasSubscribers) storeStateChannel.publish({ state: 'failing', why, retryAt });
  }

  get #about(): string {
    return this.store.host === undefined ? '' : `, ${this.store.host}`;
  }
}

/** An application may use its own store: an answer of a wrong form counts as a failure. */
function checked(answer: StoreAnswer): StoreAnswer {
  const { state, now } = answer;
  const isKnown =
    state === 'leased' ||
    state === 'free' ||
    (state === 'held' &&
      Number.isFinite(answer.expiresAt) &&
      ['undefined', 'string'].includes(typeof answer.note)) ||
    (state === 'found' && Number.isFinite(answer.expiresAt) && typeof answer.value === 'string');
  if (!isKnown || !Number.isFinite(now)) throw new TypeError('NOT_AN_ANSWER');
  return answer;
}

function adviceOn(why: string): string {
  if (why === 'NOPERM') return 'Check the rights of the user of the Redis client.';
  if (why === 'NOAUTH' || why === 'WRONGPASS') return 'Check the user and password of the Redis client.';
  return 'Check the store and the connection to it.';
}
