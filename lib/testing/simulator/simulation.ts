import type { Catalogue } from '../../catalogue/catalogue.js';
import { Addresses } from './addresses.js';
import { ClientCheck } from './client-check.js';
import type { ExchangeContext } from './exchange.js';
import { IssuedTokens } from './issued-tokens.js';
import type { ProviderSimulatorOptions } from './provider-simulator-options.js';
import type { ApiRequestRecord, TokenRequestRecord } from './records.js';
import { ScriptQueue } from './script-queue.js';
import type { LoopbackServer } from './server.js';

export type Simulation = ReturnType<typeof createSimulation>;

/** What a simulator knows: its clients, its tokens, the scripts that wait, and the requests that it has received. */
export function createSimulation(
  catalogue: Catalogue,
  server: LoopbackServer,
  options: ProviderSimulatorOptions<string>,
) {
  const { environment = catalogue.environments[0] ?? '', now = () => Date.now(), credentials } = options;
  const addresses = new Addresses(server.origin, catalogue);
  return {
    catalogue,
    server,
    options,
    /** The active environment in the settings of a client. */
    environment,
    now,
    addresses,
    clients: new ClientCheck(catalogue, addresses, now, credentials),
    tokens: new IssuedTokens(now),
    scripts: new ScriptQueue(),
    observers: [] as ExchangeContext['observers'],
    tokenRequests: [] as TokenRequestRecord<string, string>[],
    apiRequests: [] as ApiRequestRecord<string, string>[],
  };
}
