import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { setVariables, startProvider } from './environment.js';
import { StepPrinter } from './step-printer.js';
import { runSteps } from './steps.js';

const print = new StepPrinter();
const simulated = await startProvider();
const removeFiles = await setVariables(simulated);
try {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error', 'warn'] });
  await runSteps({ app, simulated }, print);
  await app.close();
} finally {
  await simulated.close();
  await removeFiles();
}
process.exitCode = print.end();
