import { NestFactory } from '@nestjs/core';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { AppModule } from './app.module.js';
import { StepPrinter } from './step-printer.js';
import { runSteps } from './steps.js';

const print = new StepPrinter();
const provider = await ProviderSimulator.start();
try {
  const app = await NestFactory.createApplicationContext(AppModule.with(provider.options()), {
    logger: ['error', 'warn'],
  });
  await runSteps(app, provider, print);
  await app.close();
} finally {
  await provider.close();
}
process.exitCode = print.end();
