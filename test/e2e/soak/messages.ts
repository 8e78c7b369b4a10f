import type { Transport } from './lanes.js';

/** What the soak and the process under test tell each other. */
export interface LaneAddress {
  readonly tokenUrl: string;
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What the backend needs to know of the providers, lane by lane. */
export interface BackendPlan {
  readonly seed: number;
  readonly callsPerSecond: number;
  readonly sampleEveryMs: number;
  readonly addresses: Readonly<Record<string, LaneAddress>>;
  /** PEM of the authority of each provider. */
  readonly ca: Readonly<Record<Transport, string>>;
}

export type ToBackend =
  | { readonly kind: 'start'; readonly plan: BackendPlan }
  | { readonly kind: 'secret'; readonly lane: string; readonly secret: string }
  | { readonly kind: 'stop' };

export const BODIES = ['none', 'json', 'buffer', 'stream'] as const;
export type BodyKind = (typeof BODIES)[number];

/** A call, and what became of it as the caller saw it. */
export interface CallReport {
  readonly lane: string;
  readonly fault: string;
  readonly path: string;
  readonly body: BodyKind;
  /** Whether the caller may have given up by itself. */
  readonly aborts: boolean;
  readonly startedAt: number;
  readonly endedAt: number;
  /** `ok`, a status, the code of an error, or what is wrong about an answer. */
  readonly outcome: string;
}

/** What a sample of the process shows. */
export interface Sample {
  readonly at: number;
  readonly heapBytes: number;
  readonly sockets: number;
  readonly inFlight: number;
}

export type FromBackend =
  | { readonly kind: 'ready' }
  | { readonly kind: 'calls'; readonly calls: readonly CallReport[]; readonly lagMs: number }
  | { readonly kind: 'rotated'; readonly lane: string }
  | { readonly kind: 'sample'; readonly sample: Sample }
  /** Something that no application should see: a rejection that nobody handled, a warning of Node. */
  | { readonly kind: 'trouble'; readonly text: string }
  | { readonly kind: 'closed'; readonly sockets: number; readonly made: number };
