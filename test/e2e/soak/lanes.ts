import { PAIRS } from '../../../lib/testing/simulator/addresses.js';
import type { ProviderPair } from '../../../lib/catalogue/provider-catalogue.js';

/** How an application of the soak sends its requests. Each has a provider of its own, so that no request is mistaken. */
export const TRANSPORTS = ['axios', 'undici'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** One token provider and its HTTP client. */
export interface Lane extends ProviderPair {
  readonly transport: Transport;
  readonly name: string;
}

export const LANES: readonly Lane[] = TRANSPORTS.flatMap((transport) =>
  PAIRS.map((pair) => ({ ...pair, transport, name: `${transport} ${pair.interface} ${pair.environment}` })),
);
