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
import type { Narrator } from './narrator.js';

/** Walks through what the module does for an application, and checks each step on the provider's side. */
export async function travel(provider: ProviderSimulator, say: Narrator): Promise<void> {
  say.title('nestjs-provider-auth, from boot to a revoked token');
  say.fact('the provider', `${provider.origin} (a simulator in this process)`);

  Object.assign(process.env, provider.env());
  const app = await boot(provider, 'sandbox');
  say.step('The application boots; nothing is asked of the provider yet');
  for (const status of app.get(ProviderAuthService).status()) {
    say.fact(
      `${status.interface} ${status.environment}`,
      `${status.state}${status.active ? ', active' : ''}`,
    );
  }
  say.claim('no token request was made', provider.tokenRequests.length === 0);

  await firstCalls(app, provider, say);
  await tenCalls(app, provider, say);
  await revokedToken(app, provider, say);
  await app.close();
  await production(provider, say);
  await wrongConfiguration(provider, say);
}

async function firstCalls(
  app: INestApplicationContext,
  provider: ProviderSimulator,
  say: Narrator,
): Promise<void> {
  say.step('The first call to each interface brings its token along');
  const checkout = app.get(CheckoutService);
  const payment = await firstValueFrom(checkout.payment('4711'));
  const application = await firstValueFrom(checkout.application('0815'));
  for (const name of ['easy', 'originations'] as const) {
    const token = await app.get<TokenProvider>(getTokenProviderToken(name)).getToken();
    const seconds = Math.round((token.expiresAt.getTime() - Date.now()) / 1000);
    say.fact(
      `${name} sandbox`,
      `token ${token.fingerprint}, expires in ${seconds} s; printed it reads ${String(token)}`,
    );
  }
  say.claim(
    'easy answered from its sandbox',
    payment.interface === 'easy' && payment.environment === 'sandbox',
  );
  say.claim(
    'originations answered from its sandbox',
    application.interface === 'originations' && application.environment === 'sandbox',
  );
  say.claim('one token request for each interface', provider.tokenRequests.length === 2);
}

async function tenCalls(
  app: INestApplicationContext,
  provider: ProviderSimulator,
  say: Narrator,
): Promise<void> {
  say.step('Ten more calls travel on the same token');
  const [tokens, calls] = [provider.tokenRequests.length, provider.apiRequests.length];
  const checkout = app.get(CheckoutService);
  await Promise.all(Array.from({ length: 10 }, (_, id) => firstValueFrom(checkout.payment(String(id)))));
  say.claim('ten calls arrived', provider.apiRequests.length - calls === 10);
  say.claim('no token request was made', provider.tokenRequests.length === tokens);
}

async function revokedToken(
  app: INestApplicationContext,
  provider: ProviderSimulator,
  say: Narrator,
): Promise<void> {
  say.step('The provider revokes the token; the application does not notice');
  const [tokens, calls] = [provider.tokenRequests.length, provider.apiRequests.length];
  provider.token.for('easy', 'sandbox').revokeAll();
  const payment = await firstValueFrom(app.get(CheckoutService).payment('4712'));
  const statuses = provider.apiRequests.slice(calls).map(({ status }) => status);
  say.fact('the provider answered', statuses.join(', then '));
  say.claim('the call succeeded', payment.path.endsWith('/payments/4712'));
  say.claim('by one refresh', provider.tokenRequests.length - tokens === 1);
  say.claim('and one resend', statuses.join() === '401,200');
}

async function production(provider: ProviderSimulator, say: Narrator): Promise<void> {
  say.step('PROVIDER_ENVIRONMENT=production moves everything; no code changes');
  const app = await boot(provider, 'production');
  const payment = await firstValueFrom(app.get(CheckoutService).payment('4713'));
  const application = await firstValueFrom(app.get(CheckoutService).application('0816'));
  await app.close();
  say.claim('easy answered from production', payment.environment === 'production');
  say.claim('originations answered from production', application.environment === 'production');
  const asked = provider.tokenRequests.slice(-2).map(({ environment }) => environment);
  say.claim('with the credentials of production', asked.join() === 'production,production');
}

async function wrongConfiguration(provider: ProviderSimulator, say: Narrator): Promise<void> {
  say.step('A wrong configuration stops the boot and names every problem at once');
  process.env['PROVIDER_EASY_PRODUCTION_BASE_URL'] = 'http://api.example.com/easy';
  process.env['PROVIDER_EASY_SANDBOX_CLIENT_ID'] = '<CLIENT_ID>';
  delete process.env['PROVIDER_ORIGINATIONS_TOKEN_URL'];
  const error = await boot(provider, 'production').then(
    (app) => app.close(),
    (reason: unknown) => reason,
  );
  const problems = error instanceof ProviderAuthConfigError ? error.problems : [];
  if (error instanceof Error) say.quote(error.message);
  say.claim('three problems, three lines', problems.length === 3);
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
