import type { HttpService } from '@nestjs/axios';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { BUILT_IN_NAME } from '../../catalogue/catalogue.js';
import { injectionToken } from '../../module/injection-tokens.js';
import type { AnyProvider } from '../../testing/any-provider.js';
import type { ProviderSimulator } from '../../testing/index.js';

/** One call through this package, from this process: a first look for a person who has no application yet. */
export class TestCall {
  /** Kept for the next call. Otherwise, each call would need another token. */
  #application: Promise<INestApplicationContext> | undefined;
  readonly #end = new AbortController();

  constructor(
    private readonly provider: ProviderSimulator,
    private readonly definition: AnyProvider | undefined,
  ) {}

  /** Returns the status of the answer, or what the caller got instead. */
  async send(): Promise<number | string> {
    const [pair] = this.provider.simulation.catalogue.pairs;
    if (pair === undefined) return 'The provider has no pair.';
    const { interface: name, environment } = pair;
    try {
      const application = await (this.#application ??= this.#start());
      const token = injectionToken(this.definition?.name ?? BUILT_IN_NAME, 'HTTP', name, environment);
      const { axiosRef } = application.get<HttpService>(token);
      const options = { signal: this.#end.signal, validateStatus: () => true };
      return (await axiosRef.get('/test-call', options)).status;
    } catch (error) {
      return error instanceof Error ? error.message : 'unknown';
    }
  }

  async close(): Promise<void> {
    this.#end.abort();
    const application = await this.#application?.catch(() => undefined);
    await application?.close();
  }

  async #start(): Promise<INestApplicationContext> {
    // Only this call needs an application, so only this call imports Nest.
    const { NestFactory } = await import('@nestjs/core');
    const { ProviderAuthModule } = await import('../../module/module.js');
    const { Module } = (this.definition ?? { Module: ProviderAuthModule }) as {
      Module: { forRoot(options: object): DynamicModule };
    };
    // With `abortOnError`, a problem of the options would end the simulator.
    const options = { logger: false, abortOnError: false } as const;
    return NestFactory.createApplicationContext(Module.forRoot(this.provider.options()), options);
  }
}
