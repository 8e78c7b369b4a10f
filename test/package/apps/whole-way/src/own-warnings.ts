import type { LoggerService } from '@nestjs/common';

/** A logger that keeps what the library warns of, up to the reason in brackets, and lets everything else go. */
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
