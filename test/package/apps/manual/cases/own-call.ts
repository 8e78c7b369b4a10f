import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { report } from '../case.js';

// THE BLOCK

try {
  const app = await NestFactory.create(OrdersModule, { logger: false, abortOnError: false });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  report(await (await fetch(`http://127.0.0.1:${port}/orders/1`)).json());
  await app.close();
} catch (error) {
  report((error as Error).message);
}
