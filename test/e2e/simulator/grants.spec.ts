import { NestFactory } from '@nestjs/core';
import { expect, it, onTestFinished } from 'vitest';
import type { ProviderHttpService, TokenRequestError, TokenTarget } from '../../../lib/index.js';
import type { ProviderSimulatorOptions } from '../../../lib/testing/index.js';
import { startSimulatorOf } from '../../support/application/simulator.js';
import { warehouse } from '../../support/application/warehouse.js';

/** What a call with these terms gets, from a simulator that grants these ones, and the form of its token request. */
async function callWith(
  name: 'stock' | 'bankOrders' | 'returns',
  target: TokenTarget,
  grants?: ProviderSimulatorOptions['grants'],
) {
  const simulated = await startSimulatorOf(warehouse, grants && { grants });
  const app = await NestFactory.createApplicationContext(warehouse.Module.forRoot(simulated.options()), {
    logger: false,
  });
  onTestFinished(() => app.close());
  const http = app.get<ProviderHttpService>(warehouse.httpToken(name));
  const call = http.for(target).axiosRef.get('/items/1');
  const { outcome, oauthError } = await call.then(
    ({ status }) => ({ outcome: status, oauthError: undefined }),
    ({ code, oauthError }: TokenRequestError) => ({ outcome: code, oauthError }),
  );
  const [request] = simulated.tokenRequests;
  return { outcome, oauthError, form: Object.fromEntries(new URLSearchParams(request?.body.toString())) };
}

it('B24: the simulator grants no other scope, unless the test lists it', async () => {
  const target = { scope: 'stock.write' };
  expect(await callWith('stock', target)).toMatchObject({ outcome: 'TOKEN_REJECTED' });
  expect(await callWith('stock', target, [{ scope: 'stock.none' }])).toMatchObject({
    outcome: 'TOKEN_REJECTED',
  });
  expect(await callWith('stock', target, [{ scope: 'stock.none' }, target])).toMatchObject({
    outcome: 200,
    form: target,
  });
});

it('B24 B29: the simulator names the member that it does not grant, as a provider does', async () => {
  const errors = [
    await callWith('stock', { scope: 'stock.none' }),
    await callWith('bankOrders', { audience: 'https://other.example' }),
    await callWith('returns', { resource: 'https://other.example' }),
  ].map(({ oauthError }) => oauthError);
  expect(errors).toEqual(['invalid_scope', 'invalid_target', 'invalid_target']);
});

it('B24: what the definition says is granted, too', async () => {
  const resource = 'https://returns.example/v2';
  expect(await callWith('returns', { resource }, [{ resource }])).toMatchObject({ outcome: 200 });
  expect(await callWith('returns', { resource: 'https://returns.example/v1' }, [{ resource }])).toMatchObject(
    {
      outcome: 200,
    },
  );
});
