import type { AnyPair } from '../catalogue/catalogue.js';
import type { Profile, Settings } from '../config/options/profile.js';
import type { ConfigProblem } from '../errors/provider-auth-config.error.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Secret } from '../secrets/secret.js';
import type { ConfiguredBaseUrl } from './plan.js';

/** The steps of a check, in order, with their titles for people. The names are part of the output of `--json`, so they do not change. */
export const STEP_TITLES = {
  configuration: 'configuration',
  connection: 'connection',
  'token-request': 'token request',
  lifetime: 'lifetime',
  claims: 'claims',
  'api-connection': 'API connection',
  probe: 'probe',
} as const;

export type StepName = keyof typeof STEP_TITLES;

/** What a step found. It contains no credential (S10), and texts of a server were made harmless before. */
export interface Finding {
  /** `skipped`: there was nothing to check, or an earlier step failed. */
  readonly status: 'ok' | 'failed' | 'skipped';
  readonly detail: string;
  /** What to do. Present after each failure, and after `ok` if the user should look at something. */
  readonly advice?: string | undefined;
  readonly code?: string | undefined;
  readonly facts?: Readonly<Record<string, string | number | readonly string[] | undefined>> | undefined;
}

export interface StepResult extends Finding {
  readonly name: StepName;
  readonly durationMs: number;
  /** It did not run, because an earlier step failed. */
  readonly blocked?: true;
}

/** The check of one pair, and the results that later steps need. */
export interface Check {
  readonly profile: Profile;
  readonly settings: Pick<Settings, 'token' | 'http'>;
  /** The base URLs of all configured pairs, because a token may be for another pair. */
  readonly baseUrls: readonly ConfiguredBaseUrl[];
  readonly probe: string | undefined;
  /** The secret that was sent. A later step checks whether a text of the server repeats it. */
  secret?: Secret;
  token?: AccessToken;
  /** Whether the token is for another address on the host of the base URL. */
  isForOtherPath?: boolean;
}

/** A step checks one thing. It stores in `Check` what later steps need. */
export interface Step {
  readonly name: StepName;
  run(check: Check): Finding | Promise<Finding>;
}

export interface PairResult extends AnyPair {
  readonly active: boolean;
  readonly host?: string | undefined;
  readonly ok: boolean;
  readonly steps: readonly StepResult[];
}

/** The output of `--json`. Later versions may add members, but do not change the meaning of a member. */
export interface Report {
  readonly ok: boolean;
  /** Whether each API got a request. If not, `ok` only means that the endpoints give tokens and that the APIs can be reached. */
  readonly probed: boolean;
  readonly results: readonly PairResult[];
  readonly advice?: readonly string[] | undefined;
  readonly problems?: readonly ConfigProblem[] | undefined;
}
