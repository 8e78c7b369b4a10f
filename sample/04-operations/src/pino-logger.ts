import type { LoggerService } from '@nestjs/common';
import { type Level, type Logger, pino } from 'pino';

/** Nest's logger on pino: one JSON object a line. */
export class PinoLogger implements LoggerService {
  readonly #pino: Logger;

  constructor(write: (line: string) => void) {
    this.#pino = pino({ level: 'info', base: null }, { write });
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.#write('info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.#write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#write('warn', message, rest);
  }

  /** Nest hands the context over as the last argument. */
  #write(level: Level, message: unknown, rest: unknown[]): void {
    const context = rest.at(-1);
    this.#pino[level]({ context, ...(typeof message === 'string' ? {} : { message }) }, String(message));
  }
}
