import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { NestFactory } from '@nestjs/core';
import { report } from '../case.js';

// THE BLOCK

try {
  const app = await NestFactory.create(OrdersModule, { logger: false, abortOnError: false });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  // `fetch` resolves two encoded dots itself, and `get` sends them.
  const answer = async (id: string): Promise<unknown> => {
    const path = `/orders/${id}`;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ host: '127.0.0.1', port, path }, resolve).on('error', reject);
    });
    return json(response);
  };
  report([await answer('1'), await answer('..%2Fmerchants%2F7%3Fadmin=1'), await answer('%2e%2e')]);
  await app.close();
} catch (error) {
  report((error as Error).message);
}
