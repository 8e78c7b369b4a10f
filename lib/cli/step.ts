import type { Settings, Profile } from '../config/options/profile.js';
import type { AddressSetting } from '../errors/setting-names.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Secret } from '../secrets/secret.js';
import type { ConfiguredBaseUrl } from './plan.js';

/** The steps of a check, in order, with their titles for people. The names are part of the output of `--json`, so they do not change. */
export const STEP_TITLES = {
  configuration: 'configuration',
  dns: 'DNS',
  tcp: 'TCP',
  tls: 'TLS',
  'token-request': 'token request',
  lifetime: 'lifetime',
  claims: 'claims',
  clock: 'clock',
  'api-dns': 'API DNS',
  'api-tcp': 'API TCP',
  'api-tls': 'API TLS',
  probe: 'probe',
} as const;

export type StepName = keyof typeof STEP_TITLES;

/** The result of a step. It contains no credential (S10), and texts of a server were made harmless before. */
export interface Finding {
  /** `skipped`: there was nothing to check, or an earlier step failed. */
  readonly status: 'ok' | 'failed' | 'skipped';
  /** The result in a few words. */
  readonly detail: string;
  /** What to do. Present after each failure, and after `ok` if the user should look at something. */
  readonly advice?: string;
  /** The code of the failure, from Node or from this library. */
  readonly code?: string;
  /** The result as data. */
  readonly facts?: Readonly<Record<string, string | number | readonly string[]>>;
  /** Present if the step measured its duration itself. */
  readonly durationMs?: number;
  /** The step was skipped, because only a request can show what is behind the proxy. Not part of the output of `--json`. */
  readonly isBehindProxy?: true;
}

export interface StepResult extends Finding {
  readonly name: StepName;
  readonly durationMs: number;
}

/** A step checks one thing. It stores in `Check` what later steps need. */
export interface Step {
  readonly name: StepName;
  run(check: Check): Finding | Promise<Finding>;
}

/** Where a connection goes first: to the host of an address, or to the proxy in front of it. */
export interface Destination {
  readonly host: string;
  readonly port: number;
  readonly isProxy: boolean;
}

/** The check of one pair, and the results that later steps need. */
export interface Check {
  readonly profile: Profile;
  readonly settings: Pick<Settings, 'token' | 'http'>;
  readonly destinations: Readonly<Record<AddressSetting, Destination>>;
  /** The base URLs of all configured pairs, because a token may be for another pair. */
  readonly baseUrls: readonly ConfiguredBaseUrl[];
  /** The path of the probe under the base URL. Undefined: no probe. */
  readonly probe: string | undefined;
  /** The secret that was sent. A later step checks whether a text of the server repeats it. */
  secret?: Secret;
  token?: AccessToken;
  /** By how much this machine's clock is ahead of the server's. */
  clockAheadMs?: number | undefined;
}
