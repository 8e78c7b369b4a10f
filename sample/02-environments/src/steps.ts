import { setTimeout as wait } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { ProviderAuthService, TokenRequestError } from 'nestjs-provider-auth';
import type { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { LendingService } from './lending.service.js';
import type { StepPrinter } from './step-printer.js';
import type { SecretFiles } from './secret-files.js';

const EASY_SANDBOX = 'PROVIDER_EASY_SANDBOX_CLIENT_SECRET';

export interface Stage {
  readonly app: INestApplicationContext;
  readonly provider: ProviderSimulator;
  readonly secrets: SecretFiles;
}

/** Originations is in production, easy in its sandbox, and a secret changes twice while the application runs. */
export async function runSteps(stage: Stage, print: StepPrinter): Promise<void> {
  const before = process.pid;
  whatIsActive(stage, print);
  await mixedCalls(stage, print);
  await rotationInOrder(stage, print);
  await rotationTooEarly(stage, print);
  await fileCatchesUp(stage, print);
  print.check('all steps ran in one process, without a restart', process.pid === before);
}

function whatIsActive({ app }: Stage, print: StepPrinter): void {
  print.step(
    'The application boots: PROVIDER_ENVIRONMENT=sandbox, PROVIDER_ORIGINATIONS_ENVIRONMENT=production',
  );
  const active = app
    .get(ProviderAuthService)
    .status()
    .filter((status) => status.active);
  for (const status of active) print.fact(status.interface, status.environment);
  const pairs = active.map((status) => `${status.interface} ${status.environment}`);
  print.check(
    'each interface uses its own environment',
    pairs.join() === 'originations production,easy sandbox',
  );
}

async function mixedCalls({ app, provider }: Stage, print: StepPrinter): Promise<void> {
  print.step('It calls both interfaces, and also the sandbox of originations for a rehearsal');
  const lending = app.get(LendingService);
  const application = await lending.application('4711');
  const payment = await lending.payment('0815');
  const drill = await lending.rehearse();
  print.check('applications go to production', application === 'originations production');
  print.check('payments go to the sandbox', payment === 'easy sandbox');
  print.check('the rehearsal goes to the sandbox', drill === 'originations sandbox');
  const asked = provider.tokenRequests.map((request) => `${request.interface} ${request.environment}`);
  print.fact('token requests', asked.join(', '));
  print.check(
    'three tokens, each with the credentials of the right environment',
    asked.join() === 'originations production,easy sandbox,originations sandbox',
  );
}

async function rotationInOrder({ app, provider, secrets }: Stage, print: StepPrinter): Promise<void> {
  print.step('The secret of easy is rotated, and its file is in time');
  const lending = app.get(LendingService);
  const before = provider.tokenRequests.length;
  await secrets.write(EASY_SANDBOX, provider.rotateSecret('easy', 'sandbox'));
  await lending.payment('0816');
  print.check('the token stays valid: there was no token request', provider.tokenRequests.length === before);
  provider.token.for('easy', 'sandbox').revokeAll();
  const payment = await lending.payment('0817');
  const asked = provider.tokenRequests.slice(before).map(({ status }) => status);
  print.check('the next token request used the new secret', asked.join() === '200');
  print.check('and the call succeeded', payment === 'easy sandbox');
}

async function rotationTooEarly({ app, provider }: Stage, print: StepPrinter): Promise<void> {
  print.step('The secret is rotated again, but this time its file is late');
  const lending = app.get(LendingService);
  const before = provider.tokenRequests.length;
  provider.rotateSecret('easy', 'sandbox');
  provider.token.for('easy', 'sandbox').revokeAll();
  await lending.payment('0818').catch(() => undefined);
  const errors: unknown[] = await Promise.all(
    Array.from({ length: 100 }, () => lending.payment('0819').catch((error: unknown) => error)),
  );
  const [first] = errors;
  if (first instanceof Error) print.fact('the error', first.message);
  print.check(
    'callers get this error at once',
    errors.every((error) => error instanceof TokenRequestError && error.code === 'TOKEN_REJECTED'),
  );
  const requests = provider.tokenRequests.length - before;
  print.check('101 calls cost 1 token request', requests === 1);
  print.check(
    'originations does not notice',
    (await lending.application('4712')) === 'originations production',
  );
}

async function fileCatchesUp({ app, provider, secrets }: Stage, print: StepPrinter): Promise<void> {
  print.step('The file arrives');
  const lending = app.get(LendingService);
  const { clientSecret } = provider.credentials('easy', 'sandbox');
  await secrets.write(EASY_SANDBOX, clientSecret);
  // After a refusal, the module reads the file at most once per second, when a call needs a token.
  let payment = await lending.payment('0820').catch(() => 'refused');
  for (let tries = 0; payment === 'refused' && tries < 100; tries += 1) {
    await wait(100);
    payment = await lending.payment('0820').catch(() => 'refused');
  }
  print.check('easy works again, without a restart', payment === 'easy sandbox');
  const refused = provider.tokenRequests.filter(({ status }) => status === 401).length;
  print.check('the old secret was sent only once after the rotation', refused === 1);
}
