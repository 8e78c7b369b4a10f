import { Logger } from '@nestjs/common';
import { safely } from '../values/safely.js';

/**
 * Nest's logger, under the name of the library. An application may replace Nest's logger by a logger that throws. That must
 * not change the result of a call or end the process: the events and the status report the same failures.
 */
export class SafeLogger {
  readonly #logger = new Logger('ProviderAuth');

  error(message: string): void {
    safely(() => this.#logger.error(message), undefined);
  }

  warn(message: string): void {
    safely(() => this.#logger.warn(message), undefined);
  }

  log(message: string): void {
    safely(() => this.#logger.log(message), undefined);
  }
}
