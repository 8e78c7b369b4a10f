import {
  ProviderSimulator,
  type ApiRequestRecord,
  type TokenRequestRecord,
} from '../../../lib/testing/index.js';
import { scriptAll } from './api-faults.js';
import { LaneLedger } from './lane-ledger.js';
import { LANES, type Transport } from './lanes.js';
import type { LaneAddress } from './messages.js';

/** How long tokens live: short, so that many are needed. */
export const LIFETIME_MS = 4_000;

/** One provider, and what it received, lane by lane. */
export class ProviderLedger {
  readonly lanes: readonly LaneLedger[];
  /** Requests that no lane can have made. */
  readonly strays: string[] = [];

  private constructor(
    readonly provider: ProviderSimulator,
    readonly transport: Transport,
  ) {
    this.lanes = LANES.filter((lane) => lane.transport === transport).map(
      (lane) => new LaneLedger(lane, provider),
    );
    this.#install();
  }

  static async start(transport: Transport): Promise<ProviderLedger> {
    const provider = await ProviderSimulator.start({ lifetimeSeconds: LIFETIME_MS / 1_000 });
    return new ProviderLedger(provider, transport);
  }

  addressOf({ lane }: LaneLedger): LaneAddress {
    const { provider } = this;
    return {
      tokenUrl: provider.tokenUrl(lane.interface, lane.environment),
      baseUrl: provider.baseUrl(lane.interface, lane.environment),
      ...provider.credentials(lane.interface, lane.environment),
    };
  }

  /**
   * Moves what the simulator has recorded into the ledgers. Scripts act in the same turn in which a request is recorded,
   * so what is recorded before a change of weather belongs to the weather before it.
   */
  harvest(change: () => void = () => undefined): void {
    const { provider } = this;
    for (const record of provider.tokenRequests) this.#laneOf(record)?.tokenRequested(record);
    for (const record of provider.apiRequests) this.#laneOf(record)?.apiRequested(record);
    provider.reset();
    change();
    this.#install();
  }

  #laneOf(record: TokenRequestRecord | ApiRequestRecord): LaneLedger | undefined {
    const found = this.lanes.find(
      ({ lane }) => lane.interface === record.interface && lane.environment === record.environment,
    );
    if (!found) this.strays.push(`${record.method} ${record.path} belongs to nobody`);
    return found;
  }

  #install(): void {
    scriptAll(this.provider.api);
    for (const lane of this.lanes) lane.install();
  }
}
