import type { AbstractHttpAdapter } from '@nestjs/core';
import { NestFactory } from '@nestjs/core';
import type { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { AppModule } from './app.module.js';
import { takeCounts } from './counted-metrics.js';
import { OwnWarnings } from './own-warnings.js';

const CALLERS = 10;

/** A whole application behind an HTTP server: ten callers at once, a revoked token, and its health. */
export async function httpTrial(provider: ProviderSimulator, adapter: AbstractHttpAdapter) {
  provider.reset();
  const logger = new OwnWarnings();
  const trial = { http: { httpsAgent: provider.httpsAgent } };
  const app = await NestFactory.create(AppModule.with(trial), adapter, { logger, abortOnError: false });
  await app.listen(0, '127.0.0.1');
  const { port }: { port: number } = app.getHttpServer().address();
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return (await response.json()) as { place?: string; status?: string };
  };

  const ids = Array.from({ length: CALLERS }, (_, index) => index);
  const answers = await Promise.all(ids.map((id) => get(`/payments/${id}`)));
  const tokenRequests = provider.tokenRequests.length;

  provider.token.revokeAll();
  const before = provider.apiRequests.length;
  const recovered = await get('/payments/revoked');
  const statuses = provider.apiRequests.slice(before).map(({ status }) => status);
  const health = await get('/health');
  await app.close();

  return {
    calls: answers.map(({ place }) => place),
    tokenRequests,
    recovered: recovered.place,
    statuses,
    tokenRequestsInAll: provider.tokenRequests.length,
    health: health.status,
    counted: takeCounts()['provider_auth.token.requests'],
    warnings: logger.texts,
  };
}
