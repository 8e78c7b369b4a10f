import { once } from 'node:events';
import type { Type } from '@nestjs/common';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** Reports the result of the case to the test. */
export function report(what: unknown): void {
  process.send?.(['report', what]);
}

/** What a block logs. */
export const lines: string[] = [];
export const logger = {
  log: (line: string) => lines.push(line),
  warn: (line: string) => lines.push(line),
};

/** Asks the test to do something to the provider. The test knows the name of each step. */
export async function step(name: string): Promise<void> {
  const done = once(process, 'message');
  process.send?.(['step', name]);
  await done;
}

/** Starts an application with one import: the module that the block made. */
export function start(module: Type | DynamicModule): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
}

/** Reports what an application with this module answers to the first call, or why the application does not boot. */
export async function reportFirstCall(module: Type): Promise<void> {
  try {
    const app = await NestFactory.create(module, { logger: false, abortOnError: false });
    await app.listen(0, '127.0.0.1');
    report(await (await fetch(`${await app.getUrl()}/payments/1`)).json());
    await app.close();
  } catch (error) {
    report((error as Error).message);
  }
}
