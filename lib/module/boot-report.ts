import { pairName } from '../catalogue/catalogue.js';
import type { Settings } from '../config/options/profile.js';
import { sameSecretProblem } from '../errors/troubles.js';
import { SafeLogger } from '../logging/safe-logger.js';

type Reported = Pick<Settings, 'profiles' | 'store'>;

export function reportBoot(settings: Reported): void {
  const logger = new SafeLogger();
  for (const line of activePairs(settings)) logger.log(line);
  for (const warning of sharedSecrets(settings)) logger.warn(warning);
  for (const { tls } of settings.profiles) tls?.warnOfEnd();
}

/**
 * One line for each active pair. So the log answers the question "Does this process talk to production?".
 * The line shows hosts only, because a path or a query may hold more than a log should show.
 */
function activePairs({ profiles, store }: Reported): string[] {
  const shared = store === undefined ? '' : ', tokens shared by a store';
  return profiles
    .filter(({ active }) => active)
    .map((profile) => {
      const [api, tokens] = [new URL(profile.baseUrl).host, new URL(profile.tokenUrl).host];
      return `${pairName(profile)} is active (API: ${api}, token URL: ${tokens}${shared}).`;
    });
}

/** Two environments of an interface with the same client secret: one warning for each interface (S5). */
function sharedSecrets({ profiles }: Reported): string[] {
  const problems = profiles.flatMap((profile) => {
    const problem = sameSecretProblem(profile);
    return problem === undefined ? [] : [[profile.interface, problem] as const];
  });
  return [...new Map(problems).values()].toReversed();
}

/** What prints request headers: sections of Node, and a package that uses the package `debug`. */
const TRACED = { NODE_DEBUG: ['http', 'https', 'net'], DEBUG: ['follow-redirects'] };

/**
 * Warnings of environment variables that make Node or a package print the headers of every request. A library cannot keep the
 * token out of that output (S10).
 */
export function headerTracing(environment: NodeJS.ProcessEnv): string[] {
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
