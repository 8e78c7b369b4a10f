import { ProviderAuthError } from './provider-auth.error.js';

export type ProviderAuthConfigErrorCode =
  /** The configuration is wrong: found at boot. */
  | 'CONFIG_INVALID'
  /** Something was injected whose interface and environment have no configuration. */
  | 'NOT_CONFIGURED';

/** One thing that is wrong with the configuration. Never holds a configured value (C4, S10). */
export interface ConfigProblem {
  /** Where in the options: `interfaces.easy.sandbox.baseUrl`. */
  readonly path: string;
  /** The environment variable to set, where the options came from the environment. */
  readonly env?: string;
  /** The reason, and what to do about it. */
  readonly message: string;
}

/** Everything that is wrong with the configuration, in one error. */
export class ProviderAuthConfigError extends ProviderAuthError {
  readonly problems: readonly ConfigProblem[];

  constructor(
    readonly code: ProviderAuthConfigErrorCode,
    problems: readonly ConfigProblem[],
  ) {
    super(describe(problems));
    this.problems = problems;
  }
}

/** One aligned line a problem, so that someone on call finds the mend at a glance. */
function describe(problems: readonly ConfigProblem[]): string {
  const names = problems.map(({ path, env }) => env ?? path);
  const width = Math.max(...names.map((name) => name.length));
  const lines = problems.map(({ message }, index) => `  ${names[index]?.padEnd(width)}  ${message}`);
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return [
    `The configuration of nestjs-provider-auth has ${count}:`,
    '',
    ...lines,
    '',
    'Mend each line and start again.',
  ].join('\n');
}
