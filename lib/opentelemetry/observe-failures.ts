import type { ObservableResult } from '@opentelemetry/api';
import type { ProviderAuthService } from '../provider-auth.service.js';
import type { TokenStatus } from '../token/token-provider.js';
import type { Instruments } from './instruments.js';

/** What tells the state of tokens without asking anybody. */
export type StatusSource = Pick<ProviderAuthService, 'status'>;

/**
 * Reports what fails at the moment of each collection. Several applications of one process are one process to a metric:
 * a pair fails where it fails for one of them.
 */
export function observeFailures(
  { providerFailing, storeFailing }: Pick<Instruments, 'providerFailing' | 'storeFailing'>,
  services: ReadonlySet<StatusSource>,
): () => void {
  const statuses = (): TokenStatus[] => [...services].flatMap((service) => service.status());

  const observePairs = (result: ObservableResult): void => {
    const pairs = new Map<string, TokenStatus[]>();
    for (const status of statuses()) {
      const pair = `${status.interface} ${status.environment}`;
      pairs.set(pair, [...(pairs.get(pair) ?? []), status]);
    }
    for (const [status, ...others] of pairs.values()) {
      if (status === undefined) continue;
      const fails = [status, ...others].some(({ state }) => state === 'failing');
      result.observe(Number(fails), { interface: status.interface, environment: status.environment });
    }
  };
  const observeStore = (result: ObservableResult): void => {
    const stores = statuses().flatMap(({ store }) => store ?? []);
    if (stores.length > 0) result.observe(Number(stores.includes('failing')));
  };

  providerFailing.addCallback(observePairs);
  storeFailing.addCallback(observeStore);
  return () => {
    providerFailing.removeCallback(observePairs);
    storeFailing.removeCallback(observeStore);
  };
}
