import type { Profile } from '../config/options/profile.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import type { ClientCredential } from '../secrets/client-credential.js';
import { backoffMs } from '../time/backoff.js';
import type { Clock } from '../time/clock.js';
import { Deadline } from '../time/deadline.js';
import { settledWithin, SharedReading, TooSlowError } from '../time/within.js';
import { secretSourceFailure } from './endpoint/token-failures.js';

/**
 * When a cool-down looks at the source again (B7). A source may give another secret at each reading, so each change in a row makes
 * the next look later.
 */
const NEXT_READ = { firstMs: 1_000, longestMs: 60_000 };
/** In a cool-down callers get their error at once: a slow source delays them no longer than this. */
export const LONGEST_LOOK_MS = 250;

/** Reads the client secret from its source and remembers which secret the last token request used (B8). */
export class CurrentSecret {
  #used: ClientCredential | undefined;
  #lastLook: Deadline | undefined;
  /** How often a look has found another secret, since two token requests had the same one. */
  #changes = 0;
  #counted: Promise<ClientCredential> | undefined;
  readonly #looks = new SharedReading<ClientCredential>();

  constructor(
    private readonly profile: Profile,
    private readonly clock: Clock,
  ) {}

  /** The secret of the last token request. */
  get lastUsed(): ClientCredential | undefined {
    return this.#used;
  }

  /** Rejects with `TokenRequestError`. */
  async read(withinMs: number, isAgain = false): Promise<ClientCredential> {
    try {
      // A source that throws is treated as a source that rejects. One that needs this token itself must find its renewal, which is
      // known only after this turn, and wait for it.
      const asked = Promise.resolve().then(() => this.profile.clientSecret.read(isAgain));
      return await settledWithin(withinMs, asked, this.clock, 'background');
    } catch (error) {
      const how = error instanceof TooSlowError ? 'slow' : 'failed';
      throw new TokenRequestError(this.profile, secretSourceFailure(how, this.profile, error));
    }
  }

  /** The secret for a token request: the reading that the caller has made already, or a new one. */
  async use(withinMs: number, reading = this.read(withinMs)): Promise<ClientCredential> {
    this.#looks.forget();
    const secret = await reading;
    if (this.#used && secret.equals(this.#used)) this.#changes = 0;
    return (this.#used = secret);
  }

  /** After a refusal: the secret for one more token request, if the source gives another secret now. */
  async useIfChanged(withinMs: number): Promise<ClientCredential | undefined> {
    const changed = await this.#ifChanged(this.read(withinMs, true));
    if (changed) this.#used = changed;
    return changed;
  }

  /**
   * In a cool-down: a reading that callers wait for only briefly. A slow reading goes on, and the next look gets its result, so
   * that a changed secret of a slow source ends the cool-down, too (B7).
   *
   * @param withinMs the limit of the reading itself.
   */
  look(withinMs: number): Promise<ClientCredential> {
    return this.#looks.look(LONGEST_LOOK_MS, () => this.read(withinMs, true), this.clock);
  }

  /** In a cool-down: the time between two looks at the source. */
  get lookAfterMs(): number {
    return backoffMs(NEXT_READ, this.#changes);
  }

  /** In a cool-down: whether the secret has changed. Reads the source only after its time, unless the caller has read it. */
  async readAndCompare(withinMs: number, reading?: Promise<ClientCredential>): Promise<boolean> {
    // A system may sign a new assertion for each reading, so another assertion does not show that anything was fixed (B32).
    if (this.profile.credential === 'assertion') return false;
    if (!reading && this.#lastLook?.plus(this.lookAfterMs).hasCome(this.clock) === false) return false;
    if (!reading) this.#lastLook = Deadline.after(this.clock, 0);
    const changed = await this.#ifChanged(reading ?? this.look(withinMs));
    // With a store, two cool-downs may ask about one reading.
    if (changed && (reading === undefined || reading !== this.#counted)) this.#changes += 1;
    this.#counted = reading;
    return changed !== undefined;
  }

  /** A source that fails has not changed. */
  async #ifChanged(reading: Promise<ClientCredential>): Promise<ClientCredential | undefined> {
    const secret = await reading.catch(() => undefined);
    return secret && this.#used && !secret.equals(this.#used) ? secret : undefined;
  }
}

/** Whether a changed secret may end this failure: only a refusal is about the secret (B7). */
export async function mayEnd(
  failure: TokenRequestError,
  secret: Pick<CurrentSecret, 'readAndCompare'>,
  ...reading: Parameters<CurrentSecret['readAndCompare']>
): Promise<boolean> {
  return failure.code === 'TOKEN_REJECTED' && (await secret.readAndCompare(...reading));
}
