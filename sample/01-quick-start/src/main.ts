import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { runSteps } from './steps.js';
import { StepPrinter } from './step-printer.js';

const print = new StepPrinter();
const provider = await ProviderSimulator.start();
try {
  await runSteps(provider, print);
} finally {
  await provider.close();
}
process.exitCode = print.end();
