import type { Profile, Settings } from '../config/options/profile.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Secret } from '../secrets/secret.js';
import type { ConfiguredBaseUrl } from './plan.js';
import type { Finding, StepName } from './report.js';

/** The check of one pair, and the results that later steps need. */
export interface Check {
  readonly profile: Profile;
  readonly settings: Pick<Settings, 'token' | 'http'>;
  /** The base URLs of all configured pairs, because a token may be for another pair. */
  readonly baseUrls: readonly ConfiguredBaseUrl[];
  /** The path of the probe under the base URL. Undefined: no probe. */
  readonly probe: string | undefined;
  /** The secret that was sent. A later step checks whether a text of the server repeats it. */
  secret?: Secret;
  token?: AccessToken;
  /** Whether the token is for another address on the host of the base URL. */
  isForOtherPath?: boolean;
  /** By how much this machine's clock is ahead of the server's. */
  clockAheadMs?: number | undefined;
}

/** A step checks one thing. It stores in `Check` what later steps need. */
export interface Step {
  readonly name: StepName;
  run(check: Check): Finding | Promise<Finding>;
}
