import { Logger } from '@nestjs/common';
import { validateOptions } from '../../config/validate-options.js';
import type { ProviderParts } from '../../module/parts.js';
import type { ProviderService } from '../../module/provider-service.js';
import type { ProviderSimulator } from '../../testing/index.js';

/** Calls through this package, from this process: a first look for a person who has no application yet. */
export class TestCall {
  /** Kept for the next call. Otherwise, each call would need another token. */
  #service: Promise<ProviderService> | undefined;
  readonly #end = new AbortController();

  constructor(
    private readonly provider: ProviderSimulator,
    private readonly parts: ProviderParts,
  ) {}

  /** Returns the status of the answer, or what the caller got instead. */
  async send(): Promise<number | string> {
    try {
      const service = await (this.#service ??= this.#start());
      const { http } = service.client(this.parts.catalogue.interfaces[0] ?? '');
      const options = { signal: this.#end.signal, validateStatus: () => true };
      return (await http.axiosRef.get('/test-call', options)).status;
    } catch (error) {
      return error instanceof Error ? error.message : 'unknown';
    }
  }

  async close(): Promise<void> {
    this.#end.abort();
    const service = await this.#service?.catch(() => undefined);
    service?.onModuleDestroy();
    await service?.onApplicationShutdown();
  }

  async #start(): Promise<ProviderService> {
    const { catalogue, Service, httpServices } = this.parts;
    // The lines of the command say what happens.
    Logger.overrideLogger(false);
    return new Service(await validateOptions(catalogue, this.provider.options()), { httpServices });
  }
}
