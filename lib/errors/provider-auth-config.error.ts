import { BUILT_IN_NAME } from '../catalogue/catalogue.js';
import { nameErrors, ProviderAuthError } from './provider-auth.error.js';

/** Why the configuration can't be used. */
export type ProviderAuthConfigErrorCode =
  /** The configuration is wrong. Found at boot. */
  | 'CONFIG_INVALID'
  /** The application injected and used an interface in an environment that is not configured. */
  | 'NOT_CONFIGURED';

/** One problem in the configuration. Never contains a configured value. */
export interface ConfigProblem {
  /** The place in the options: `interfaces.easy.sandbox.baseUrl`. */
  readonly path: string;
  /** The environment variable to set, if the options came from environment variables. */
  readonly env?: string;
  /** The reason, and how to fix it. */
  readonly message: string;
}

/**
 * Lists everything that's wrong with the configuration, in one error.
 *
 * @example
 * if (error instanceof ProviderAuthConfigError) for (const { path, env, message } of error.problems) …
 */
export class ProviderAuthConfigError extends ProviderAuthError {
  static {
    nameErrors(this, 'ProviderAuthConfigError');
  }

  /** One entry for each wrong or missing setting. */
  readonly problems: readonly ConfigProblem[];

  constructor(
    readonly code: ProviderAuthConfigErrorCode,
    problems: readonly ConfigProblem[],
    provider: string = BUILT_IN_NAME,
  ) {
    const owner = provider === BUILT_IN_NAME ? PACKAGE_NAME : `${provider} (${PACKAGE_NAME})`;
    super(code === 'NOT_CONFIGURED' ? describeMissing(problems, owner) : describeInvalid(problems, owner));
    this.problems = problems;
  }
}

const PACKAGE_NAME = 'nestjs-provider-auth';

/** A list of things to do. Names the variable if there is one, because people set variables. Else names the path. */
function describeInvalid(problems: readonly ConfigProblem[], owner: string): string {
  const lines = aligned(problems.map(({ path, env, message }) => [env ?? path, message]));
  const [count, remedy] =
    problems.length === 1
      ? ['1 problem', 'Fix it and start again.']
      : [`${problems.length} problems`, 'Fix each line and start again.'];
  return [`The configuration of ${owner} has ${count}:`, '', ...lines, '', remedy].join('\n');
}

/** The application may be configured by options or by variables. This code does not know which, so it names both. */
function describeMissing(problems: readonly ConfigProblem[], owner: string): string {
  const [first] = problems;
  // What `for()` was asked for, and cannot be had, is no setting of an environment.
  if (first && first.env === undefined) return `${owner}: ${first.path} ${first.message}`;
  const lines = aligned(problems.map(({ path, env = '' }) => [path, env]));
  return [
    `Your code used an interface of ${owner} in an environment that is not configured. These settings are missing, here as options and as environment variables:`,
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
