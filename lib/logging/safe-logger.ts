import { Logger } from '@nestjs/common';

export const LOG_CONTEXT = 'ProviderAuth';

/**
 * Nest's logger, under the name of the library. The application may have put anything there, also what throws: that
 * changes nothing for a caller and ends no process (B9).
 */
export class SafeLogger {
  readonly #logger = new Logger(LOG_CONTEXT);

  error(message: string): void {
    this.#tell('error', message);
  }

  warn(message: string): void {
    this.#tell('warn', message);
  }

  log(message: string): void {
    this.#tell('log', message);
  }

  #tell(level: 'error' | 'warn' | 'log', message: string): void {
    try {
      this.#logger[level](message);
    } catch {
      // Whom to tell? What fails is in the events and in the status as well.
    }
  }
}
