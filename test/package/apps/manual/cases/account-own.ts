import { Injectable, Module } from '@nestjs/common';
import { defineProvider } from 'nestjs-provider-auth';
import { firstValueFrom } from 'rxjs';
import { report, start } from '../case.js';

const auth0 = defineProvider({
  name: 'auth0',
  environments: ['live'],
  interfaces: { orders: { audience: 'https://orders.example' } },
});

interface Order {
  readonly path: string;
}

// THE BLOCK

const options = await auth0.config();
const credentials = {
  clientId: process.env.ACCOUNT_ID ?? '',
  clientSecret: process.env.ACCOUNT_SECRET ?? '',
};

@Module({
  imports: [auth0.Module.forRoot({ ...options, accounts: () => credentials })],
  providers: [Orders],
})
class AppModule {}

const app = await start(AppModule);
const { data } = await firstValueFrom(app.get(Orders).find('merchant-42', '1'));
report(data.path);
await app.close();
