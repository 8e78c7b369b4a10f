import { storeStateChannel } from '../../events/provider-auth-events.js';
import { LogThrottle } from '../../logging/log-throttle.js';
import { SafeLogger } from '../../logging/safe-logger.js';

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
      `The token store fails (${why}). Requests go on: this process asks for its own tokens and tries the store ` +
        `again by itself. Check the store and the connection to it. (STORE_FAILING${this.#about})`,
    );
    if (storeStateChannel.hasSubscribers) storeStateChannel.publish({ state: 'failing', why, retryAt });
  }

  recovered(): void {
    if (!this.#throttle.ends()) return;
    this.#logger.log(`The token store works again. (STORE_RECOVERED${this.#about})`);
    if (storeStateChannel.hasSubscribers) storeStateChannel.publish({ state: 'recovered' });
  }
}
