import type { Transport } from './clients-under-test.js';

/** Where a client under test sends its requests, and its credentials. */
export interface ClientAddress {
  readonly tokenUrl: string;
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What the backend needs to know about the providers. `addresses` has one entry for each client under test. */
export interface BackendPlan {
  readonly seed: number;
  readonly callsPerSecond: number;
  readonly sampleEveryMs: number;
  readonly addresses: Readonly<Record<string, ClientAddress>>;
  /** PEM of the authority of each provider. */
  readonly ca: Readonly<Record<Transport, string>>;
}

export type ToBackend =
  | { readonly kind: 'start'; readonly plan: BackendPlan }
  | { readonly kind: 'secret'; readonly client: string; readonly secret: string }
  | { readonly kind: 'stop' };

export const BODIES = ['none', 'json', 'buffer', 'stream'] as const;
export type BodyKind = (typeof BODIES)[number];

/** A call, and its outcome as the caller saw it. */
export interface CallReport {
  readonly client: string;
  readonly fault: string;
  readonly path: string;
  readonly body: BodyKind;
  /** Whether the caller aborts the call after a while. The call may end before. */
  readonly aborts: boolean;
  readonly startedAt: number;
  readonly endedAt: number;
  /** `ok`, a status, the code of an error, or what is wrong with the response. */
  readonly outcome: string;
}

/** Memory, sockets and calls of the process at one time. */
export interface Sample {
  readonly at: number;
  readonly heapBytes: number;
  readonly sockets: number;
  readonly inFlight: number;
}

export type FromBackend =
  | { readonly kind: 'ready' }
  | { readonly kind: 'calls'; readonly calls: readonly CallReport[]; readonly lagMs: number }
  | { readonly kind: 'rotated'; readonly client: string }
  | { readonly kind: 'sample'; readonly sample: Sample }
  /** Something that no application should see: an unhandled rejection, or a warning of Node. */
  | { readonly kind: 'trouble'; readonly text: string }
  | { readonly kind: 'closed'; readonly sockets: number; readonly made: number };
