import { Logger } from '@nestjs/common';

export const LOG_CONTEXT = 'ProviderAuth';

/**
 * Nest's logger, under the name of the library. An application may replace Nest's logger by a logger that throws. That must
 * not change the result of a call or end the process.
 */
export class SafeLogger {
  readonly #logger = new Logger(LOG_CONTEXT);

  error(message: string): void {
    this.#write('error', message);
  }

  warn(message: string): void {
    this.#write('warn', message);
  }

  log(message: string): void {
    this.#write('log', message);
  }

  #write(level: 'error' | 'warn' | 'log', message: string): void {
    try {
      this.#logger[level](message);
    } catch {
      // There is no other log to write to. The events and the status report the same failures.
    }
  }
}
