import { NestFactory } from '@nestjs/core';
import { undiciTransport } from 'nestjs-provider-auth/undici';
import { AppModule } from './app.module.js';
import { CheckoutService } from './checkout.service.js';
import { OwnWarnings } from './own-warnings.js';
import { place } from './payments.controller.js';

/** Makes one call with each transport, with the agents of the library, while the variables of the process name a proxy. Prints both results. */
async function main(): Promise<void> {
  const answers = [];
  for (const http of [{}, { transport: undiciTransport() }]) {
    const logger = new OwnWarnings();
    const app = await NestFactory.createApplicationContext(AppModule.with({ http }), { logger });
    answers.push(place(await app.get(CheckoutService).payment('1')));
    await app.close();
  }
  console.log(JSON.stringify(answers));
}

void main();
