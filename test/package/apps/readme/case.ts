import { once } from 'node:events';
import type { Type } from '@nestjs/common';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** Tells the test what came of the case. */
export function tell(what: unknown): void {
  process.send?.(['tell', what]);
}

/** Has the test do something to the provider, under a name that it knows. */
export async function step(name: string): Promise<void> {
  const done = once(process, 'message');
  process.send?.(['step', name]);
  await done;
}

/** An application of one import, which the block made. */
export function start(module: Type | DynamicModule): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
}
