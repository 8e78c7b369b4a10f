import type { HttpService } from '@nestjs/axios';
import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ProviderAuthTestingModule } from 'nestjs-provider-auth/testing';
import { AppModule } from './app.module.js';
import type { Simulated } from './environment.js';
import { ShopService } from './shop.service.js';
import type { StepPrinter } from './step-printer.js';
import { warehouse } from './warehouse.js';

export interface Stage {
  readonly app: INestApplicationContext;
  readonly simulated: Simulated;
}

/** One definition, with three ways to authenticate. */
export async function runSteps(stage: Stage, print: StepPrinter): Promise<void> {
  await calls(stage, print);
  tokenRequests(stage, print);
  await rotation(stage, print);
  status(stage, print);
  await withoutNetwork(print);
}

async function calls({ app, simulated }: Stage, print: StepPrinter): Promise<void> {
  print.step('The application calls three interfaces of the warehouse');
  const shop = app.get(ShopService);
  await shop.inStock('4711');
  await shop.order('4711');
  await shop.takeBack('4711');
  const answers = simulated.apiRequests.map((request) => `${request.interface} ${request.status}`);
  print.fact('answers', answers.join(', '));
  print.check('all calls have a token', answers.join() === 'stock 200,bankOrders 200,returns 200');
}

function tokenRequests({ simulated }: Stage, print: StepPrinter): void {
  print.step('Each interface has its own token request');
  const [stock, orders, returns] = simulated.tokenRequests;
  print.check(
    'stock: the secret and the scope are in the form',
    stock?.fields['scope'] === 'stock.read' && 'client_secret' in stock.fields,
  );
  print.check(
    'bankOrders: the secret is in the header, the audience in the form',
    orders?.headers.authorization?.startsWith('Basic ') === true &&
      orders.fields['audience'] === 'https://orders.example',
  );
  print.check(
    'returns: a signed assertion, and no secret',
    returns?.fields['client_assertion'] !== undefined && !('client_secret' in returns.fields),
  );
}

async function rotation({ app, simulated }: Stage, print: StepPrinter): Promise<void> {
  print.step('The private key is rotated, and its file is in time');
  simulated.rotateSecret('returns', 'test');
  simulated.env(); // writes the new key to its file
  simulated.token.for('returns', 'test').revokeAll();
  await app.get(ShopService).takeBack('4712');
  const statuses = simulated.tokenRequests.slice(3).map((request) => request.status);
  print.check('the next token request used the new key', statuses.join() === '200');
}

function status({ app }: Stage, print: StepPrinter): void {
  print.step('The status has all pairs of this provider');
  const valid = app
    .get(warehouse.Service)
    .status()
    .filter((one) => one.state === 'valid');
  for (const one of valid) print.fact(one.interface, one.environment);
  print.check('three tokens are valid', valid.length === 3);
}

async function withoutNetwork(print: StepPrinter): Promise<void> {
  print.step('A test replaces the module, and needs no network');
  const app = await ProviderAuthTestingModule.replaceIn(Test.createTestingModule({ imports: [AppModule] }), {
    provider: warehouse,
  }).compile();
  const stock = app.get<HttpService>(warehouse.httpToken('stock'));
  stock.axiosRef.defaults.adapter = (config) =>
    Promise.resolve({ data: { item: 7 }, status: 200, statusText: 'OK', headers: {}, config });
  const answer = await app.get(ShopService).inStock('7');
  print.check('the mock answered', JSON.stringify(answer) === '{"item":7}');
  await app.close();
}
