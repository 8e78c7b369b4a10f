import 'reflect-metadata';
import { inspect } from 'node:util';
import { ConfigModule } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import {
  EasyHttpService,
  OriginationsHttpService,
  ProviderAuthModule,
  providerAuthConfig,
} from 'nestjs-provider-auth';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { undiciTransport } from 'nestjs-provider-auth/undici';

async function main() {
  const provider = await ProviderSimulator.start();
  Object.assign(process.env, provider.env());
  const { httpsAgent } = provider;
  const report = {
    byAxios: await callsWith(provider, { httpsAgent }),
    byUndici: await callsWith(provider, { transport: undiciTransport() }),
    atBoot: await bootWithoutHttps(),
  };
  await provider.close();
  console.log(JSON.stringify(report));
}

/** A call, a call with a revoked token, and one of each kind that fails. */
async function callsWith(provider, http) {
  provider.reset();
  const warnings = [];
  const logger = { log() {}, warn: (text) => void warnings.push(text), error() {} };
  const app = await boot(logger, (options) => ({ ...options, ...provider.options({ http }) }));
  const easy = app.get(EasyHttpService).axiosRef;
  const { data } = await easy.get('/payments/1');
  provider.token.revokeAll();
  await easy.get('/payments/2');
  const statuses = provider.apiRequests.map(({ status }) => status);
  const refused = await errorOf(easy.get('https://elsewhere.example/'));
  provider.token.for('originations', 'sandbox').status(400);
  const withoutToken = await errorOf(app.get(OriginationsHttpService).axiosRef.get('/applications/1'));
  await app.close();
  const place = `${data.interface} ${data.environment}`;
  return { place, statuses, names: [refused, withoutToken].flatMap(namesOf), warnings };
}

async function bootWithoutHttps() {
  process.env.PROVIDER_EASY_SANDBOX_BASE_URL = 'http://api.example.com/easy';
  return namesOf(await errorOf(boot(false, (options) => options)));
}

function boot(logger, useFactory) {
  const module = ProviderAuthModule.forRootAsync({
    imports: [ConfigModule.forFeature(providerAuthConfig)],
    inject: [providerAuthConfig.KEY],
    useFactory,
  });
  return NestFactory.createApplicationContext(module, { logger, abortOnError: false });
}

async function errorOf(call) {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('This call was meant to fail.');
}

/** The name of an error, wherever it is printed. One name, if all agree. */
function namesOf(error) {
  const texts = [error.name, String(error), error.stack, inspect(error)];
  return [...new Set(texts.map((text) => /^[^:\n]*/.exec(text)[0]))];
}

void main();
