import type { Settings, Profile } from '../config/options/profile.js';
import type { AddressSetting } from '../errors/setting-names.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Secret } from '../secrets/secret.js';
import type { ConfiguredBaseUrl } from './plan.js';

/** The steps of a check, in their order. The names are part of `--json` and stay. */
export const STEP_NAMES = [
  'configuration',
  'dns',
  'tcp',
  'tls',
  'token-request',
  'lifetime',
  'claims',
  'clock',
  'api-dns',
  'api-tcp',
  'api-tls',
  'probe',
] as const;

export type StepName = (typeof STEP_NAMES)[number];

/** What a step found out. Nothing in it is a credential (S10); texts of a server are made harmless before. */
export interface Finding {
  /** `skipped`: there was nothing to check, or an earlier step failed. */
  readonly status: 'ok' | 'failed' | 'skipped';
  /** What was found, in a few words. */
  readonly detail: string;
  /** What to do: always after a failure; after `ok` where something is worth a look. */
  readonly advice?: string;
  /** Node's or this library's code of what went wrong. */
  readonly code?: string;
  /** The finding as data. */
  readonly facts?: Readonly<Record<string, string | number | readonly string[]>>;
  /** Where the step knows better than who waits for it how long its work took. */
  readonly durationMs?: number;
}

export interface StepResult extends Finding {
  readonly name: StepName;
  readonly durationMs: number;
}

/** A step looks at one thing and leaves what it learned for those after it. */
export interface Step {
  readonly name: StepName;
  run(check: Check): Finding | Promise<Finding>;
}

/** Where a connection leads first: to the host of an address, or to the proxy that stands before it. */
export interface Destination {
  readonly host: string;
  readonly port: number;
  readonly isProxy: boolean;
}

/** The check of one pair, and what its steps have learned so far. */
export interface Check {
  readonly profile: Profile;
  readonly settings: Pick<Settings, 'token' | 'http'>;
  readonly destinations: Readonly<Record<AddressSetting, Destination>>;
  /** The base URLs of all configured pairs: a token may be for another one. */
  readonly baseUrls: readonly ConfiguredBaseUrl[];
  /** What is requested under the base URL with the token; undefined to request nothing. */
  readonly probe: string | undefined;
  /** As it was sent; tells whether a server's text repeats it. */
  secret?: Secret;
  token?: AccessToken;
  /** By how much this machine's clock is ahead of the server's. */
  clockAheadMs?: number | undefined;
}
