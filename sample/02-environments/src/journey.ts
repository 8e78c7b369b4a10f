import { setTimeout as wait } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { ProviderAuthService, TokenRequestError } from 'nestjs-provider-auth';
import type { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { LendingService } from './lending.service.js';
import type { Narrator } from './narrator.js';
import type { SecretFiles } from './secret-files.js';

const EASY_SANDBOX = 'PROVIDER_EASY_SANDBOX_CLIENT_SECRET';

export interface Stage {
  readonly app: INestApplicationContext;
  readonly provider: ProviderSimulator;
  readonly secrets: SecretFiles;
}

/** Originations in production, easy in its sandbox, and a secret that changes twice while the application runs. */
export async function travel(stage: Stage, say: Narrator): Promise<void> {
  const before = process.pid;
  whatIsActive(stage, say);
  await mixedCalls(stage, say);
  await rotationInOrder(stage, say);
  await rotationTooEarly(stage, say);
  await fileCatchesUp(stage, say);
  say.claim('all in one process, which was never restarted', process.pid === before);
}

function whatIsActive({ app }: Stage, say: Narrator): void {
  say.step(
    'The application boots: PROVIDER_ENVIRONMENT=sandbox, PROVIDER_ORIGINATIONS_ENVIRONMENT=production',
  );
  const active = app
    .get(ProviderAuthService)
    .status()
    .filter((status) => status.active);
  for (const status of active) say.fact(status.interface, status.environment);
  const pairs = active.map((status) => `${status.interface} ${status.environment}`);
  say.claim('each interface in its own', pairs.join() === 'originations production,easy sandbox');
}

async function mixedCalls({ app, provider }: Stage, say: Narrator): Promise<void> {
  say.step('It calls both, and rehearses in the sandbox of originations');
  const lending = app.get(LendingService);
  const application = await lending.application('4711');
  const payment = await lending.payment('0815');
  const drill = await lending.rehearse();
  say.claim('applications are real', application === 'originations production');
  say.claim('payments are not yet', payment === 'easy sandbox');
  say.claim('the rehearsal stays in the sandbox', drill === 'originations sandbox');
  const asked = provider.tokenRequests.map((request) => `${request.interface} ${request.environment}`);
  say.fact('token requests', asked.join(', '));
  say.claim(
    'three tokens, each by the credentials of its own environment',
    asked.join() === 'originations production,easy sandbox,originations sandbox',
  );
}

async function rotationInOrder({ app, provider, secrets }: Stage, say: Narrator): Promise<void> {
  say.step('The secret of easy is rotated, and its file with it');
  const lending = app.get(LendingService);
  const before = provider.tokenRequests.length;
  await secrets.write(EASY_SANDBOX, provider.rotateSecret('easy', 'sandbox'));
  await lending.payment('0816');
  say.claim('the token lives on: nothing was asked', provider.tokenRequests.length === before);
  provider.token.for('easy', 'sandbox').revokeAll();
  const payment = await lending.payment('0817');
  const asked = provider.tokenRequests.slice(before).map(({ status }) => status);
  say.claim('the next token is asked for with the new secret', asked.join() === '200');
  say.claim('and the customer noticed nothing', payment === 'easy sandbox');
}

async function rotationTooEarly({ app, provider }: Stage, say: Narrator): Promise<void> {
  say.step('It is rotated again, but this time the file is late');
  const lending = app.get(LendingService);
  const before = provider.tokenRequests.length;
  provider.rotateSecret('easy', 'sandbox');
  provider.token.for('easy', 'sandbox').revokeAll();
  await lending.payment('0818').catch(() => undefined);
  const errors: unknown[] = await Promise.all(
    Array.from({ length: 100 }, () => lending.payment('0819').catch((error: unknown) => error)),
  );
  const [first] = errors;
  if (first instanceof Error) say.fact('the error', first.message);
  say.claim(
    'callers are told so, at once',
    errors.every((error) => error instanceof TokenRequestError && error.code === 'TOKEN_REJECTED'),
  );
  const requests = provider.tokenRequests.length - before;
  say.claim('101 calls cost 1 token request', requests === 1);
  say.claim(
    'originations does not notice',
    (await lending.application('4712')) === 'originations production',
  );
}

async function fileCatchesUp({ app, provider, secrets }: Stage, say: Narrator): Promise<void> {
  say.step('The file arrives');
  const lending = app.get(LendingService);
  const { clientSecret } = provider.credentials('easy', 'sandbox');
  await secrets.write(EASY_SANDBOX, clientSecret);
  // While it fails, the file is looked at once a second, when somebody calls.
  let payment = await lending.payment('0820').catch(() => 'refused');
  for (let tries = 0; payment === 'refused' && tries < 100; tries += 1) {
    await wait(100);
    payment = await lending.payment('0820').catch(() => 'refused');
  }
  say.claim('easy is served again, by itself', payment === 'easy sandbox');
  const refused = provider.tokenRequests.filter(({ status }) => status === 401).length;
  say.claim('the old secret was sent once, and never again', refused === 1);
}
