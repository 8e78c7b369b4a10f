import { createHash, randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { RequestRefusedError } from 'nestjs-provider-auth';
import type { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { InvoicesService } from './invoices.service.js';
import { PaymentsService } from './payments.service.js';
import type { StepPrinter } from './step-printer.js';

/** An invoice of 200 kB. */
const INVOICE = randomBytes(200_000);

/** Two generated clients call one interface, through a revoked token. Each step is checked on the side of the provider. */
export async function runSteps(
  app: INestApplicationContext,
  provider: ProviderSimulator,
  print: StepPrinter,
): Promise<void> {
  const [payments, invoices] = [app.get(PaymentsService), app.get(InvoicesService)];
  await firstCalls(payments, invoices, provider, print);
  await revokedToken(payments, invoices, provider, print);
  await download(invoices, provider, print);
  await serverOfDocument(payments, provider, print);
}

async function firstCalls(
  payments: PaymentsService,
  invoices: InvoicesService,
  provider: ProviderSimulator,
  print: StepPrinter,
): Promise<void> {
  print.step('A client of orval and a client of openapi-fetch call the provider');
  const payment = await payments.payment('4711');
  const receipt = await invoices.upload('4711', INVOICE);
  print.fact('orval, axios', `${payment.method} ${payment.path}`);
  print.fact('openapi-fetch', `${receipt?.method} ${receipt?.path}, ${receipt?.bodyLength} bytes`);
  print.check('the provider received the invoice', receipt?.bodySha256 === sha256(INVOICE));
  print.check('both clients used one token', provider.tokenRequests.length === 1);
}

async function revokedToken(
  payments: PaymentsService,
  invoices: InvoicesService,
  provider: ProviderSimulator,
  print: StepPrinter,
): Promise<void> {
  print.step('The provider revokes the token twice, and the application does not notice');
  const before = provider.apiRequests.length;
  provider.token.revokeAll();
  const payment = await payments.pay(7);
  provider.token.revokeAll();
  const receipt = await invoices.upload('4712', INVOICE);
  const sent = provider.apiRequests.slice(before);
  print.fact('the provider answered', sent.map(({ status }) => status).join(', '));
  print.check('both calls succeeded', payment.method === 'POST' && receipt?.method === 'PUT');
  print.check('each call was sent once more', sent.map(({ status }) => status).join() === '401,200,401,200');
  print.check(
    'each time with its whole body',
    sent.map(({ body }) => body.length).join() === [12, 12, INVOICE.length, INVOICE.length].join(),
  );
  print.check('each revocation cost one token request', provider.tokenRequests.length === 3);
}

async function download(
  invoices: InvoicesService,
  provider: ProviderSimulator,
  print: StepPrinter,
): Promise<void> {
  print.step('The client of openapi-fetch reads a file as a stream');
  const headers = { 'content-type': 'application/octet-stream' };
  provider.api.next().body(INVOICE, { headers });
  const size = await invoices.size('4711');
  print.fact('read', `${size} bytes`);
  print.check('the whole file arrived', size === INVOICE.length);
}

async function serverOfDocument(
  payments: PaymentsService,
  provider: ProviderSimulator,
  print: StepPrinter,
): Promise<void> {
  print.step('A call to the server that the OpenAPI document names is refused');
  const before = provider.apiRequests.length;
  const error = await payments.payElsewhere(7).catch((reason: unknown) => reason);
  const refused = error instanceof RequestRefusedError ? error : undefined;
  print.fact('the error', refused?.message ?? String(error));
  print.check('it says that the address is outside', refused?.code === 'OUTSIDE_BASE_URL');
  print.check('nothing was sent', provider.apiRequests.length === before);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
