import { NestFactory } from '@nestjs/core';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { AppModule } from './app.module.js';
import { Narrator } from './narrator.js';
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

const say = new Narrator();
try {
  await playOutage(provider, surfacesOf(await app.getUrl(), lines), say);
} finally {
  await app.close();
  await provider.close();
}
process.exitCode = say.end();
