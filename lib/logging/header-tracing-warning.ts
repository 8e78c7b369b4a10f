import { SafeLogger } from './safe-logger.js';

/** The sections of `NODE_DEBUG` that print request headers. */
const TRACED_BY_NODE = ['http', 'https', 'net'];
/** A value of `DEBUG` (package `debug`) that makes follow-redirects print its options. */
const TRACED_BY_DEBUG = ['follow-redirects'];

/** The variables that were checked: those of this process. Each definition has a service, and one warning is enough. */
const checked = new WeakSet<NodeJS.ProcessEnv>();

/**
 * Warns once if an environment variable makes Node or a package print the headers of every request. A library cannot keep the
 * token out of that output (S10).
 */
export function warnOfHeaderTracing(
  environment: NodeJS.ProcessEnv = process.env,
  logger: Pick<SafeLogger, 'warn'> = new SafeLogger(),
): void {
  if (checked.has(environment)) return;
  checked.add(environment);
  const traced = [
    ...(matches(environment['NODE_DEBUG'], TRACED_BY_NODE) ? ['NODE_DEBUG'] : []),
    ...(matches(environment['DEBUG'], TRACED_BY_DEBUG) ? ['DEBUG'] : []),
  ];
  for (const name of traced) {
    logger.warn(
      `${name} prints the headers of every request, including access tokens and client secrets. Unset it outside of development.`,
    );
  }
}

function matches(patterns: string | undefined, names: readonly string[]): boolean {
  return (patterns ?? '').split(/[\s,]+/).some((pattern) => {
    const expression = new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`, 'i');
    return names.some((name) => expression.test(name));
  });
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
