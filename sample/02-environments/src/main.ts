import { NestFactory } from '@nestjs/core';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { AppModule } from './app.module.js';
import { environmentOf } from './environment.js';
import { runSteps } from './steps.js';
import { StepPrinter } from './step-printer.js';
import { SecretFiles } from './secret-files.js';

const print = new StepPrinter();
const provider = await ProviderSimulator.start();
const secrets = await SecretFiles.make();
try {
  Object.assign(process.env, await environmentOf(provider, secrets));
  const app = await NestFactory.createApplicationContext(AppModule.trusting(provider.agent()), {
    logger: ['error', 'warn'],
  });
  await runSteps({ app, provider, secrets }, print);
  await app.close();
} finally {
  await provider.close();
  await secrets.remove();
}
process.exitCode = print.end();
