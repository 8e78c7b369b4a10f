import type { LoggerService } from '@nestjs/common';
import { type Level, type Logger, pino } from 'pino';

/** A NestJS logger on pino. Each line is one JSON object. */
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

  /** NestJS passes the context as the last argument. */
  #write(level: Level, message: unknown, rest: unknown[]): void {
    const context = rest.at(-1);
    this.#pino[level]({ context, ...(typeof message === 'string' ? {} : { message }) }, String(message));
  }
}
