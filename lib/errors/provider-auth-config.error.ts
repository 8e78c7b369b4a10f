import { ProviderAuthError } from './provider-auth.error.js';

/** Why the configuration stood in the way. */
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

/**
 * Everything that is wrong with the configuration, in one error.
 *
 * @example
 * if (error instanceof ProviderAuthConfigError) for (const { path, env, message } of error.problems) …
 */
export class ProviderAuthConfigError extends ProviderAuthError {
  /** One entry for each thing that is wrong or missing. */
  readonly problems: readonly ConfigProblem[];

  constructor(
    readonly code: ProviderAuthConfigErrorCode,
    problems: readonly ConfigProblem[],
  ) {
    super(describe(code, problems));
    this.problems = problems;
  }
}

/** Reads as a list of things to do, for someone on call: one line a problem, aligned, what to set first. */
function describe(code: ProviderAuthConfigErrorCode, problems: readonly ConfigProblem[]): string {
  return code === 'NOT_CONFIGURED' ? describeMissing(problems) : describeInvalid(problems);
}

/** The variable where there is one: it is what people set. The path follows from it. */
function describeInvalid(problems: readonly ConfigProblem[]): string {
  const lines = aligned(problems.map(({ path, env, message }) => [env ?? path, message]));
  const [count, remedy] =
    problems.length === 1
      ? ['1 problem', 'Mend it and start again.']
      : [`${problems.length} problems`, 'Mend each line and start again.'];
  return [`The configuration of nestjs-provider-auth has ${count}:`, '', ...lines, '', remedy].join('\n');
}

/** Nobody knows here whether the application is configured by options or by variables: both are named. */
function describeMissing(problems: readonly ConfigProblem[]): string {
  const lines = aligned(problems.map(({ path, env = '' }) => [path, env]));
  return [
    'An interface of nestjs-provider-auth was used in an environment that is not configured. These settings are missing, here as options and as environment variables:',
    '',
    ...lines,
    '',
    'Set them and start again, or use an environment that is configured.',
  ].join('\n');
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
}
