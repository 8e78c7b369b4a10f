import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  getTokenProviderToken,
  ProviderAuthConfigError,
  type ProviderEnvironment,
  ProviderAuthService,
  type TokenProvider,
} from 'nestjs-provider-auth';
import type { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { firstValueFrom } from 'rxjs';
import { AppModule } from './app.module.js';
import { CheckoutService } from './checkout.service.js';
import type { StepPrinter } from './step-printer.js';

/** Shows step by step what the module does for an application, and checks each step on the side of the provider. */
export async function runSteps(provider: ProviderSimulator, print: StepPrinter): Promise<void> {
  print.title('nestjs-provider-auth, from boot to a revoked token');
  print.fact('the provider', `${provider.origin} (a simulator in this process)`);

  Object.assign(process.env, provider.env());
  const app = await boot(provider, 'sandbox');
  print.step('The application boots, without a request to the provider');
  for (const status of app.get(ProviderAuthService).status()) {
    print.fact(
      `${status.interface} ${status.environment}`,
      `${status.state}${status.active ? ', active' : ''}`,
    );
  }
  print.check('no token request was made', provider.tokenRequests.length === 0);

  await firstCalls(app, provider, print);
  await tenCalls(app, provider, print);
  await revokedToken(app, provider, print);
  await app.close();
  await production(provider, print);
  await wrongConfiguration(provider, print);
}

async function firstCalls(
  app: INestApplicationContext,
  provider: ProviderSimulator,
  print: StepPrinter,
): Promise<void> {
  print.step('The first call to each interface fetches a token and sends it');
  const checkout = app.get(CheckoutService);
  const payment = await firstValueFrom(checkout.payment('4711'));
  const application = await firstValueFrom(checkout.application('0815'));
  for (const name of ['easy', 'originations'] as const) {
    const token = await app.get<TokenProvider>(getTokenProviderToken(name)).getToken();
    const seconds = Math.round((token.expiresAt.getTime() - Date.now()) / 1000);
    print.fact(
      `${name} sandbox`,
      `token ${token.fingerprint}, expires in ${seconds} s; if you print the token, you see ${String(token)}`,
    );
  }
  print.check(
    'easy answered from its sandbox',
    payment.interface === 'easy' && payment.environment === 'sandbox',
  );
  print.check(
    'originations answered from its sandbox',
    application.interface === 'originations' && application.environment === 'sandbox',
  );
  print.check('one token request for each interface', provider.tokenRequests.length === 2);
}

async function tenCalls(
  app: INestApplicationContext,
  provider: ProviderSimulator,
  print: StepPrinter,
): Promise<void> {
  print.step('Ten more calls use the same token');
  const [tokens, calls] = [provider.tokenRequests.length, provider.apiRequests.length];
  const checkout = app.get(CheckoutService);
  await Promise.all(Array.from({ length: 10 }, (_, id) => firstValueFrom(checkout.payment(String(id)))));
  print.check('ten calls arrived', provider.apiRequests.length - calls === 10);
  print.check('no token request was made', provider.tokenRequests.length === tokens);
}

async function revokedToken(
  app: INestApplicationContext,
  provider: ProviderSimulator,
  print: StepPrinter,
): Promise<void> {
  print.step('The provider revokes the token, and the application does not notice');
  const [tokens, calls] = [provider.tokenRequests.length, provider.apiRequests.length];
  provider.token.for('easy', 'sandbox').revokeAll();
  const payment = await firstValueFrom(app.get(CheckoutService).payment('4712'));
  const statuses = provider.apiRequests.slice(calls).map(({ status }) => status);
  print.fact('the provider answered', statuses.join(', then '));
  print.check('the call succeeded', payment.path.endsWith('/payments/4712'));
  print.check('it needed one new token', provider.tokenRequests.length - tokens === 1);
  print.check('and was sent once more', statuses.join() === '401,200');
}

async function production(provider: ProviderSimulator, print: StepPrinter): Promise<void> {
  print.step('PROVIDER_ENVIRONMENT=production switches all calls, without a change of code');
  const app = await boot(provider, 'production');
  const payment = await firstValueFrom(app.get(CheckoutService).payment('4713'));
  const application = await firstValueFrom(app.get(CheckoutService).application('0816'));
  await app.close();
  print.check('easy answered from production', payment.environment === 'production');
  print.check('originations answered from production', application.environment === 'production');
  const asked = provider.tokenRequests.slice(-2).map(({ environment }) => environment);
  print.check('with the credentials of production', asked.join() === 'production,production');
}

async function wrongConfiguration(provider: ProviderSimulator, print: StepPrinter): Promise<void> {
  print.step('A wrong configuration stops the boot and names every problem at once');
  process.env['PROVIDER_EASY_PRODUCTION_BASE_URL'] = 'http://api.example.com/easy';
  process.env['PROVIDER_EASY_SANDBOX_CLIENT_ID'] = '<CLIENT_ID>';
  delete process.env['PROVIDER_ORIGINATIONS_TOKEN_URL'];
  const error = await boot(provider, 'production').then(
    (app) => app.close(),
    (reason: unknown) => reason,
  );
  const problems = error instanceof ProviderAuthConfigError ? error.problems : [];
  if (error instanceof Error) print.quote(error.message);
  print.check('three problems, three lines', problems.length === 3);
}

function boot(
  provider: ProviderSimulator,
  environment: ProviderEnvironment,
): Promise<INestApplicationContext> {
  process.env['PROVIDER_ENVIRONMENT'] = environment;
  return NestFactory.createApplicationContext(AppModule.trusting(provider.agent()), {
    logger: false,
    abortOnError: false,
  });
}
