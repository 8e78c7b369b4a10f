/** What prints request headers: sections of Node, and a package that uses the package `debug`. */
const TRACED = { NODE_DEBUG: ['http', 'https', 'net'], DEBUG: ['follow-redirects'] };

/** The variables that were checked: those of this process. Each definition has a service, and one warning is enough. */
const checked = new WeakSet<NodeJS.ProcessEnv>();

/**
 * Warnings of environment variables that make Node or a package print the headers of every request. A library cannot keep the
 * token out of that output (S10).
 */
export function headerTracing(environment: NodeJS.ProcessEnv): string[] {
  if (checked.has(environment)) return [];
  checked.add(environment);
  return Object.entries(TRACED)
    .filter(([name, traced]) => matches(traced, environment[name]))
    .map(
      ([name]) =>
        `${name} prints the headers of every request, including access tokens and client secrets. Unset it outside of development.`,
    );
}

function matches(names: readonly string[], patterns = ''): boolean {
  return patterns.split(/[\s,]+/).some((pattern) => {
    const expression = new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`, 'i');
    return names.some((name) => expression.test(name));
  });
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
