import type { Catalogue } from '../../catalogue/catalogue.js';
import { Addresses } from './addresses.js';
import { ClientCheck } from './client-check.js';
import type { ExchangeContext } from './exchange.js';
import { IssuedTokens } from './issued-tokens.js';
import type { ProviderSimulatorOptions } from './provider-simulator-options.js';
import type { ApiRequestRecord, TokenRequestRecord } from './records.js';
import { ScriptQueue } from './script-queue.js';
import type { LoopbackServer } from './server.js';

/** What a simulator knows: its clients, its tokens, the scripts that wait, and the requests that it has received. */
export class Simulation implements ExchangeContext {
  readonly addresses: Addresses;
  readonly clients: ClientCheck;
  readonly tokens: IssuedTokens;
  readonly scripts = new ScriptQueue();
  readonly observers: ExchangeContext['observers'] = [];
  readonly tokenRequests: TokenRequestRecord<string, string>[] = [];
  readonly apiRequests: ApiRequestRecord<string, string>[] = [];
  readonly now: () => number;

  constructor(
    readonly catalogue: Catalogue,
    readonly server: LoopbackServer,
    readonly options: ProviderSimulatorOptions<string>,
  ) {
    const { now = () => Date.now(), credentials } = options;
    this.now = now;
    this.addresses = new Addresses(server.origin, catalogue);
    this.clients = new ClientCheck(catalogue, this.addresses, now, credentials);
    this.tokens = new IssuedTokens(now);
  }

  /** The active environment in the settings of a client. */
  get environment(): string {
    return this.options.environment ?? this.catalogue.environments[0] ?? '';
  }
}
