import {
  ProviderSimulator,
  type ApiRequestRecord,
  type TokenRequestRecord,
} from '../../../lib/testing/index.js';
import { scriptAll } from './api-faults.js';
import { ClientRequestLog } from './client-request-log.js';
import { CLIENTS_UNDER_TEST, type Transport } from './clients-under-test.js';
import type { ClientAddress } from './messages.js';

/** The lifetime of tokens. It is short, so that the clients renew often. */
export const LIFETIME_MS = 4_000;

/** One simulated provider, and a request log for each client that uses it. */
export class ProviderRequestLog {
  readonly requestLogs: readonly ClientRequestLog[];
  /** Requests that no client under test can have sent. */
  readonly unexpected: string[] = [];

  private constructor(
    readonly provider: ProviderSimulator,
    readonly transport: Transport,
  ) {
    this.requestLogs = CLIENTS_UNDER_TEST.filter((client) => client.transport === transport).map(
      (client) => new ClientRequestLog(client, provider),
    );
    this.#install();
  }

  static async start(transport: Transport): Promise<ProviderRequestLog> {
    const provider = await ProviderSimulator.start({ lifetimeSeconds: LIFETIME_MS / 1_000 });
    return new ProviderRequestLog(provider, transport);
  }

  addressOf({ client }: ClientRequestLog): ClientAddress {
    const { provider } = this;
    return {
      tokenUrl: provider.tokenUrl(client.interface, client.environment),
      baseUrl: provider.baseUrl(client.interface, client.environment),
      ...provider.credentials(client.interface, client.environment),
    };
  }

  /**
   * Moves new records of the simulator into the request logs, then calls `change`, which may begin or end a fault.
   * A script acts in the same turn of the event loop in which its request is recorded. So all records from before the
   * change belong to the fault from before the change.
   */
  collect(change: () => void = () => undefined): void {
    const { provider } = this;
    for (const record of provider.tokenRequests) this.#logOf(record)?.tokenRequested(record);
    for (const record of provider.apiRequests) this.#logOf(record)?.apiRequested(record);
    provider.reset();
    change();
    this.#install();
  }

  #logOf(record: TokenRequestRecord | ApiRequestRecord): ClientRequestLog | undefined {
    const found = this.requestLogs.find(
      ({ client }) => client.interface === record.interface && client.environment === record.environment,
    );
    if (!found) this.unexpected.push(`${record.method} ${record.path} belongs to no client`);
    return found;
  }

  #install(): void {
    scriptAll(this.provider.api);
    for (const requestLog of this.requestLogs) requestLog.install();
  }
}
