import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import {
  ProviderAuthConfigError,
  ProviderAuthModule,
  type ProviderAuthOptions,
  providerAuthConfig,
} from 'nestjs-provider-auth';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { CheckoutService } from './checkout.service.js';

const provider = await ProviderSimulator.start();
Object.assign(process.env, provider.env());

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true, ignoreEnvFile: true }),
    ProviderAuthModule.forRootAsync({
      imports: [ConfigModule.forFeature(providerAuthConfig)],
      inject: [providerAuthConfig.KEY],
      useFactory: (options: ProviderAuthOptions) => ({
        ...options,
        http: { httpsAgent: provider.httpsAgent },
      }),
    }),
  ],
  providers: [CheckoutService],
})
class AppModule {}

@Module({ imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())] })
class ZeroCodeModule {}

const app = await boot(AppModule);
const checkout = app.get(CheckoutService);
const calls = [await checkout.payment('1'), await checkout.application('1'), await checkout.payment('2')];
const tokenRequests = provider.tokenRequests.length;
const token = provider.tokenRequests[0]?.token ?? '';

provider.token.for('easy', 'sandbox').revokeAll();
const before = provider.apiRequests.length;
const recovered = await checkout.payment('3');
const statuses = provider.apiRequests.slice(before).map(({ status }) => status);

const production = await checkout.paymentInProduction('4');
const printedToken = await checkout.printedToken();
await app.close();

delete process.env['PROVIDER_ORIGINATIONS_TOKEN_URL'];
process.env['PROVIDER_EASY_SANDBOX_BASE_URL'] = 'http://api.example.com/easy';
const bootError = await boot(ZeroCodeModule).catch((error: unknown) => error);
await provider.close();

const report = {
  calls: calls.map(place),
  tokenRequests,
  recovered: place(recovered),
  statuses,
  production: place(production),
  printedToken,
  tokenIsPrinted: token === '' || printedToken.includes(token),
  problems:
    bootError instanceof ProviderAuthConfigError ? bootError.problems.map(({ env }) => env) : bootError,
};
console.log(JSON.stringify(report));

function place(receipt: { interface: string; environment: string }): string {
  return `${receipt.interface} ${receipt.environment}`;
}

function boot(module: new () => object) {
  return NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
}
