import type { ProviderPair } from '../../../lib/catalogue/provider-catalogue.js';
import { PROVIDER_PAIRS } from '../../support/application/built-in.js';

/** How an application of the soak sends its requests. Each application has its own provider, so each request has one owner. */
export const TRANSPORTS = ['axios', 'undici'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** One token provider and its HTTP client. */
export interface ClientUnderTest extends ProviderPair {
  readonly transport: Transport;
  readonly name: string;
}

export const CLIENTS_UNDER_TEST: readonly ClientUnderTest[] = TRANSPORTS.flatMap((transport) =>
  PROVIDER_PAIRS.map((pair) => ({
    ...pair,
    transport,
    name: `${transport} ${pair.interface} ${pair.environment}`,
  })),
);
