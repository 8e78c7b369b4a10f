import { SafeLogger } from './safe-logger.js';

/** The sections of `NODE_DEBUG` that print request headers. */
const TRACED_BY_NODE = ['http', 'https', 'net'];
/** `DEBUG` of the package `debug`, where follow-redirects prints its options. */
const TRACED_BY_DEBUG = ['follow-redirects'];

/**
 * Warns where the environment tells Node or a package to print the headers of every request: nothing that a library does
 * keeps the token out of those (S10).
 */
export function warnOfHeaderTracing(
  environment: NodeJS.ProcessEnv = process.env,
  logger: Pick<SafeLogger, 'warn'> = new SafeLogger(),
): void {
  const traced = [
    ...(matches(environment['NODE_DEBUG'], TRACED_BY_NODE) ? ['NODE_DEBUG'] : []),
    ...(matches(environment['DEBUG'], TRACED_BY_DEBUG) ? ['DEBUG'] : []),
  ];
  for (const name of traced) {
    logger.warn(
      `${name} prints the headers of every request, access tokens included. Unset it outside of development.`,
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
