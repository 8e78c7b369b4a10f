import { storeStateChannel } from '../../events/provider-auth-events.js';
import { SafeLogger } from '../../logging/safe-logger.js';

/** One warning when the store starts to fail, one line when it is back, nothing in between (B10). */
export class StoreReport {
  readonly #logger: Pick<SafeLogger, 'warn' | 'log'>;

  constructor(logger: Pick<SafeLogger, 'warn' | 'log'> = new SafeLogger()) {
    this.#logger = logger;
  }

  /** @param why in our own words: an error of a client may hold what was sent. */
  failing(why: string, retryAt: Date): void {
    this.#logger.warn(
      `The token store fails (${why}). Requests go on: this process asks for tokens of its own and tries the store ` +
        'again by itself. Check the store and the connection to it.',
    );
    if (storeStateChannel.hasSubscribers) storeStateChannel.publish({ state: 'failing', why, retryAt });
  }

  recovered(): void {
    this.#logger.log('The token store works again.');
    if (storeStateChannel.hasSubscribers) storeStateChannel.publish({ state: 'recovered' });
  }
}
