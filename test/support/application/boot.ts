import { Module, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { onTestFinished } from 'vitest';
import { CapturedLogs } from '../secrets/captured-logs.js';

/** An application with these imports and providers, and what it logs. */
export async function bootWith(
  imports: NonNullable<ModuleMetadata['imports']>,
  providers: NonNullable<ModuleMetadata['providers']> = [],
  options: object = {},
) {
  const logs = new CapturedLogs();
  @Module({ imports, providers })
  class AppModule {}
  const app = await NestFactory.createApplicationContext(AppModule, {
    logger: logs,
    abortOnError: false,
    ...options,
  });
  onTestFinished(() => app.close());
  return { app, logs };
}
