import { Logger } from '@nestjs/common';
import { validateOptions } from '../../config/validate-options.js';
import type { ProviderParts } from '../../module/parts.js';
import type { ProviderService } from '../../module/provider-service.js';
import type { ProviderSimulator } from '../../testing/index.js';

/** Calls through this package, from this process: a first look for a person who has no application yet. */
export function testCalls(provider: ProviderSimulator, { catalogue, Service, httpServices }: ProviderParts) {
  const end = new AbortController();
  // Kept for the next call. Otherwise, each call would need another token.
  let started: Promise<ProviderService> | undefined;
  const start = async (): Promise<ProviderService> => {
    // The command's own lines report each request.
    Logger.overrideLogger(false);
    return new Service(await validateOptions(catalogue, provider.options()), { httpServices });
  };
  /** Returns the status of the answer, or what the caller got instead. */
  const send = async (): Promise<number | string> => {
    try {
      const { http } = (await (started ??= start())).client(catalogue.interfaces[0] ?? '');
      const options = { signal: end.signal, validateStatus: () => true };
      return (await http.axiosRef.get('/test-call', options)).status;
    } catch (error) {
      return error instanceof Error ? error.message : 'unknown';
    }
  };
  const close = async (): Promise<void> => {
    end.abort();
    const service = await started?.catch(() => undefined);
    service?.onModuleDestroy();
    await service?.onApplicationShutdown();
  };
  return { send, close };
}
