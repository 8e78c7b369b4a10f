import { NestFactory } from '@nestjs/core';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { AppModule } from './app.module.js';
import { environmentOf } from './environment.js';
import { travel } from './journey.js';
import { Narrator } from './narrator.js';
import { SecretFiles } from './secret-files.js';

const say = new Narrator();
const provider = await ProviderSimulator.start();
const secrets = await SecretFiles.make();
try {
  Object.assign(process.env, await environmentOf(provider, secrets));
  const app = await NestFactory.createApplicationContext(AppModule.trusting(provider.agent()), {
    logger: ['error', 'warn'],
  });
  await travel({ app, provider, secrets }, say);
  await app.close();
} finally {
  await provider.close();
  await secrets.remove();
}
process.exitCode = say.end();
