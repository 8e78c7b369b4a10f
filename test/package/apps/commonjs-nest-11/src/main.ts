import { NestFactory } from '@nestjs/core';
import { ProviderAuthConfigError, ProviderAuthOptions, Secret } from 'nestjs-provider-auth';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { AppModule } from './app.module';
import { CheckoutService } from './checkout.service';

async function main() {
  const provider = await ProviderSimulator.start({ environment: 'production' });
  const options = provider.options();
  const app = await boot(options);
  const checkout = app.get(CheckoutService);
  const calls = [await checkout.payment('1'), await checkout.application('1'), await checkout.payment('2')];
  const tokenRequests = provider.tokenRequests.length;

  await app.close();
  await provider.close();

  const bootError = await boot({
    environment: 'sandbox',
    interfaces: {
      easy: {
        sandbox: {
          tokenUrl: 'https://login.example.com/oauth/token',
          baseUrl: 'http://api.example.com/easy',
          clientId: 'a client',
          clientSecret: new Secret('a secret'),
        },
      },
    },
  }).catch((error) => error);

  const report = {
    calls,
    tokenRequests,
    problems:
      bootError instanceof ProviderAuthConfigError ? bootError.problems.map(({ path }) => path) : bootError,
  };
  console.log(JSON.stringify(report));
}

function boot(options: ProviderAuthOptions) {
  return NestFactory.createApplicationContext(AppModule.with(options), {
    logger: false,
    abortOnError: false,
  });
}

void main();
