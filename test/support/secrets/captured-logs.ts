import { inspect } from 'node:util';
import type { LoggerService, LogLevel } from '@nestjs/common';

export interface LogLine {
  readonly level: LogLevel;
  readonly context: string | undefined;
  /** All arguments of the call without the context, printed without a limit. */
  readonly text: string;
}

/** A NestJS logger that stores what is logged. */
export class CapturedLogs implements LoggerService {
  readonly lines: LogLine[] = [];

  readonly log = this.#keeper('log');
  readonly error = this.#keeper('error');
  readonly warn = this.#keeper('warn');
  readonly debug = this.#keeper('debug');
  readonly verbose = this.#keeper('verbose');
  readonly fatal = this.#keeper('fatal');

  /** The lines of one context, as `level text`. */
  of(context: string): string[] {
    return this.lines.filter((line) => line.context === context).map(({ level, text }) => `${level} ${text}`);
  }

  /** The lines of this package without the lines about active pairs. Nest adds a stack to an error, here none. */
  linesAboutTrouble(): string[] {
    return this.of('ProviderAuth')
      .filter((line) => !line.includes(' is active ('))
      .map((line) => line.replace(/ undefined$/, ''));
  }

  get text(): string {
    return this.lines.map((line) => line.text).join('\n');
  }

  #keeper(level: LogLevel) {
    return (message: unknown, ...rest: unknown[]): void => {
      // NestJS passes the context as the last argument.
      const context = typeof rest.at(-1) === 'string' ? (rest.at(-1) as string) : undefined;
      const values = [message, ...(context === undefined ? rest : rest.slice(0, -1))];
      const text = values
        .map((one) => (typeof one === 'string' ? one : inspect(one, { depth: null, showHidden: true })))
        .join(' ');
      this.lines.push({ level, context, text });
    };
  }
}
