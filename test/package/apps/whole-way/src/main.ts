import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { NestFactory } from '@nestjs/core';
import { ProviderAuthConfigError } from 'nestjs-provider-auth';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { AppModule } from './app.module.js';
import { closingAnswers } from './closing-answers.js';
import { countMetrics } from './counted-metrics.js';
import { differencesByEntry } from './entries.js';
import { goodNeighbour } from './good-neighbour.js';
import { httpTrial } from './http-trial.js';
import { overUndici } from './over-undici.js';
import { withoutRedis } from './without-redis.js';

/** Much longer than a busy machine needs to close a few sockets. */
const LINGERING_MS = 10_000;

async function main(): Promise<void> {
  countMetrics();
  const provider = await ProviderSimulator.start();
  Object.assign(process.env, provider.env());
  const report = {
    entries: await differencesByEntry(),
    express: await httpTrial(provider, new ExpressAdapter()),
    fastify: await httpTrial(provider, new FastifyAdapter()),
    withoutRedis: await withoutRedis(provider),
    overUndici: await overUndici(provider),
    closingAnswers: await closingAnswers(provider),
    goodNeighbour: await goodNeighbour(provider),
    problems: await problemsWithoutTokenUrl(),
  };
  await provider.close();
  console.log(JSON.stringify(report));
  // If this timer fires, something is still open and keeps the process alive. The timer itself does not.
  setTimeout(() => {
    console.error('Still running long after its end:', process.getActiveResourcesInfo());
    process.exit(1);
  }, LINGERING_MS).unref();
}

async function problemsWithoutTokenUrl() {
  delete process.env['PROVIDER_ORIGINATIONS_TOKEN_URL'];
  const booted = NestFactory.createApplicationContext(AppModule.with(), {
    logger: false,
    abortOnError: false,
  });
  const error = await booted.catch((reason: unknown) => reason);
  return error instanceof ProviderAuthConfigError ? error.problems.map(({ env }) => env) : String(error);
}

void main();
