import type { HttpService } from '@nestjs/axios';
import { NestFactory } from '@nestjs/core';
import { expect, it, onTestFinished } from 'vitest';
import { Overview } from '../../../lib/cli/simulate/overview.js';
import { injectionToken } from '../../../lib/module/injection-tokens.js';
import {
  BUILT_IN_PROVIDER,
  EVERY_TERM,
  type ProviderUnderTest,
} from '../../support/application/every-term.js';

/** The overview after a call whose first response has this status. */
async function overviewAfter({ Module, parts, simulate }: ProviderUnderTest, status: number) {
  const provider = await simulate();
  onTestFinished(() => provider.close());
  const overview = new Overview(provider);
  provider.onRequest((request) => overview.add(request));
  provider.api.next().status(status);
  const module = Module.forRoot(provider.options());
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  onTestFinished(() => app.close());
  const { axiosRef } = app.get<HttpService>(injectionToken(parts.catalogue.name, 'HTTP', 'easy'));
  await axiosRef.get('/payments', { validateStatus: () => true });
  await expect.poll(() => overview.counts.apiRequests).toBe(provider.apiRequests.length);
  return overview.counts;
}

const RENEWED = { tokenRequests: 2, apiRequests: 2, failed: 1, early: 0 };

it('B25 B31: a token after a refusal is no early token, with each status of refusedWith', async () => {
  expect(await overviewAfter(BUILT_IN_PROVIDER, 401)).toEqual(RENEWED);
  expect(await overviewAfter(BUILT_IN_PROVIDER, 403)).toEqual({
    ...RENEWED,
    tokenRequests: 1,
    apiRequests: 1,
  });
  for (const status of [401, 403]) expect(await overviewAfter(EVERY_TERM, status)).toEqual(RENEWED);
});
