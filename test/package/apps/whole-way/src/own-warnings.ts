import type { LoggerService } from '@nestjs/common';

/** A logger that keeps the warnings of the library without the reason in brackets, and ignores all other warnings. */
export class OwnWarnings implements LoggerService {
  readonly texts: string[] = [];

  warn(message: string, context?: string): void {
    if (context === 'ProviderAuth') this.texts.push(message.replace(/ \(.*/s, ''));
  }

  log(): void {}

  error(message: unknown, ...rest: unknown[]): void {
    console.error(message, ...rest);
  }
}
