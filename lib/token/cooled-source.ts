import { TokenRequestError } from '../errors/token-request.error.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';
import { Deadline } from '../time/deadline.js';
import type { Random } from '../time/random.js';
import type { CurrentSecret } from './current-secret.js';
import { timerKind, type TokenNeed, type TokenSource } from './token-source.js';

/** How long a failure stands: doubling from the first to the longest. */
const COOL_DOWN_MS = {
  /** The credentials are refused: only people or a rotated secret mend that (B7). */
  definitive: { first: 5_000, longest: 60_000 },
  /** Everything else may be over soon (B6). */
  passing: { first: 250, longest: 5_000 },
} as const;

type Kind = keyof typeof COOL_DOWN_MS;

interface CoolDown {
  readonly kind: Kind;
  /** How many in a row, of this kind. */
  readonly strike: number;
  readonly until: Deadline;
  readonly error: TokenRequestError;
}

/**
 * Remembers a failure for a while and answers from memory: an outage or wrong credentials cost a few token requests,
 * not one for each caller (B6, B7). A changed secret ends the wait for refused credentials at once.
 */
export class CooledSource implements TokenSource {
  readonly #inner: TokenSource;
  readonly #secret: Pick<CurrentSecret, 'hasChanged'>;
  readonly #clock: Clock;
  readonly #random: Random;
  #coolDown: CoolDown | undefined;

  constructor(inner: TokenSource, secret: Pick<CurrentSecret, 'hasChanged'>, clock: Clock, random: Random) {
    this.#inner = inner;
    this.#secret = secret;
    this.#clock = clock;
    this.#random = random;
  }

  async obtain(need: TokenNeed): Promise<AccessToken> {
    const coolDown = this.#coolDown;
    if (coolDown && !coolDown.until.hasCome(this.#clock)) {
      const mended = coolDown.kind === 'definitive' && (await this.#secret.hasChanged(timerKind(need)));
      if (!mended) throw coolDown.error;
      this.#coolDown = undefined;
    }
    try {
      const token = await this.#inner.obtain(need);
      this.#coolDown = undefined;
      return token;
    } catch (error) {
      if (!(error instanceof TokenRequestError) || need.signal?.aborted) throw error;
      this.#coolDown = this.#begin(error);
      throw this.#coolDown.error;
    }
  }

  #begin(error: TokenRequestError): CoolDown {
    const kind: Kind = error.code === 'TOKEN_REJECTED' ? 'definitive' : 'passing';
    const strike = this.#coolDown?.kind === kind ? this.#coolDown.strike + 1 : 1;
    const { first, longest } = COOL_DOWN_MS[kind];
    const jitter = 0.8 + 0.4 * this.#random();
    const ms = Math.min(first * 2 ** (strike - 1), longest) * jitter;
    const until = Deadline.after(this.#clock, Math.max(ms, error.retryAfterMs ?? 0));
    return { kind, strike, until, error: error.until(until.date) };
  }
}
