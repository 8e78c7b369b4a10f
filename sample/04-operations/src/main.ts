import { NestFactory } from '@nestjs/core';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { AppModule } from './app.module.js';
import { StepPrinter } from './step-printer.js';
import { LIFETIME_SECONDS, playOutage } from './outage.js';
import { PinoLogger } from './pino-logger.js';
import { surfacesOf } from './surfaces.js';
import { registerTelemetry } from './telemetry.js';

const exporter = registerTelemetry();
const provider = await ProviderSimulator.start({ lifetimeSeconds: LIFETIME_SECONDS });
const lines: string[] = [];
const app = await NestFactory.create(AppModule.with(provider.options(), exporter), {
  logger: new PinoLogger((line) => void lines.push(line)),
});
app.enableShutdownHooks();
await app.listen(0, '127.0.0.1');

const print = new StepPrinter();
try {
  await playOutage(provider, surfacesOf(await app.getUrl(), lines), print);
} finally {
  await app.close();
  await provider.close();
}
process.exitCode = print.end();
