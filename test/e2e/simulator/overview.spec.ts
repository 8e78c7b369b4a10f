import type { HttpService } from '@nestjs/axios';
import { NestFactory } from '@nestjs/core';
import { expect, it, onTestFinished } from 'vitest';
import { Overview } from '../../../lib/cli/simulate/overview.js';
import { injectionToken } from '../../../lib/module/injection-tokens.js';
import { EasyHttpService } from '../../../lib/index.js';
import { callHttps } from '../../support/http/https-call.js';
import { startSimulator } from '../../support/application/simulator.js';
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

const RENEWED = {
  tokenRequests: 2,
  apiRequests: 2,
  failed: 1,
  failedTokenRequests: 0,
  failedCalls: 1,
  recovered: 1,
  unsent: 0,
  early: 0,
};

it('B25 B31: a token after a refusal is no early token, and a call that was sent again has recovered, with each status of refusedWith', async () => {
  expect(await overviewAfter(BUILT_IN_PROVIDER, 401)).toEqual(RENEWED);
  expect(await overviewAfter(BUILT_IN_PROVIDER, 403)).toEqual({
    ...RENEWED,
    tokenRequests: 1,
    apiRequests: 1,
    recovered: 0,
    unsent: 0,
  });
  for (const status of [401, 403]) expect(await overviewAfter(EVERY_TERM, status)).toEqual(RENEWED);
});

it('B25 B33: an account has its own numbers, also after its token was revoked', async () => {
  const provider = await startSimulator();
  provider.addAccount('merchant-42');
  const overview = new Overview(provider);
  provider.onRequest((request) => overview.add(request));
  const app = await NestFactory.createApplicationContext(
    BUILT_IN_PROVIDER.Module.forRoot(provider.options()),
    {
      logger: false,
    },
  );
  onTestFinished(() => app.close());
  const easy = app.get(EasyHttpService);
  await easy.axiosRef.get('/own');
  await easy.for({ account: 'merchant-42' }).axiosRef.get('/of-merchant');
  provider.token.revokeAll();
  await easy.for({ account: 'merchant-42' }).axiosRef.get('/of-merchant');
  await expect.poll(() => overview.counts.apiRequests).toBe(4);
  expect(overview.pairs()).toMatchObject([
    { name: 'originations sandbox', apiRequests: 0 },
    { name: 'originations production', apiRequests: 0 },
    { name: 'easy sandbox', tokenRequests: 1, apiRequests: 1, token: { state: 'revoked' } },
    { name: 'easy production', apiRequests: 0 },
    { name: 'easy sandbox merchant-42', tokenRequests: 2, apiRequests: 3, failedCalls: 1, recovered: 1 },
  ]);
});

it('B25 B29: calls to an address that no pair has are no success, until a call arrives', async () => {
  const provider = await startSimulator();
  const overview = new Overview(provider);
  provider.onRequest((request) => overview.add(request));
  await callHttps(`${provider.origin}/wrong/base`, { agent: provider.httpsAgent });
  await expect
    .poll(() => overview.summary.headline.text)
    .toMatch(/^unknown address: 1 call failed in a row \(404/);
  expect(overview.summary.headline.level).toBe('bad');
  // Such calls have their own row.
  expect(overview.pairs().at(-1)).toMatchObject({
    name: 'unknown address',
    apiRequests: 1,
    failedCalls: 1,
    token: { state: 'none' },
    verdict: { level: 'bad', text: expect.stringMatching(/^1 call failed in a row \(404/) },
  });
  const app = await NestFactory.createApplicationContext(
    BUILT_IN_PROVIDER.Module.forRoot(provider.options()),
    { logger: false },
  );
  onTestFinished(() => app.close());
  await app.get(EasyHttpService).axiosRef.get('/payments');
  await expect.poll(() => overview.summary.headline.level).toBe('good');
  expect(overview.pairs().at(-1)?.verdict).toEqual({
    level: 'idle',
    text: '1 request to addresses that no pair has.',
  });
});
