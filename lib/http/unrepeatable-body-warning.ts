import { type AnyPair, pairName } from '../catalogue/catalogue.js';
import { LogThrottle } from '../logging/log-throttle.js';
import { SafeLogger } from '../logging/safe-logger.js';
import type { Clock } from '../time/clock.js';

const HOUR_MS = 3_600_000;

/**
 * Warns that a request with a streamed body got a 401 and was not sent again (B4). The caller sees a plain 401 now and
 * then, and nothing else shows the reason (B29). Logged at most once an hour for each pair, because many uploads may meet one
 * expired token.
 */
export class UnrepeatableBodyWarning {
  readonly #pair: AnyPair;
  readonly #host: string;
  readonly #logger: Pick<SafeLogger, 'warn'>;
  readonly #throttle: LogThrottle;

  constructor(
    pair: AnyPair,
    host: string,
    clock: Clock,
    logger: Pick<SafeLogger, 'warn'> = new SafeLogger(),
  ) {
    this.#pair = pair;
    this.#host = host;
    this.#logger = logger;
    this.#throttle = new LogThrottle(clock, HOUR_MS);
  }

  notResent(status = 401): void {
    // A refusal is over at once, so only the hour counts.
    this.#throttle.ends();
    if (!this.#throttle.begins()) return;
    this.#logger.warn(
      `A request to ${pairName(this.#pair)} got a ${status} and was not sent again, because its body ` +
        'can be read only once. The token is renewed for the next call. Set token.renewAheadMs, so that no token expires ' +
        'during an upload, or send a body that can be read again, such as a Buffer or a Blob. ' +
        `(BODY_NOT_REPLAYABLE, ${this.#host})`,
    );
  }
}
