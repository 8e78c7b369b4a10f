import { vi } from 'vitest';

/** All variables that may name a proxy, or an exception. */
const VARIABLES = ['https_proxy', 'all_proxy', 'npm_config_https_proxy', 'npm_config_proxy', 'no_proxy'];

/** Sets the proxy variables of this process, and removes those that are not given. vitest restores them after the test. */
export function givenEnvironment(environment: Readonly<Record<string, string>> = {}): void {
  for (const name of VARIABLES.flatMap((one) => [one, one.toUpperCase()]))
    vi.stubEnv(name, environment[name]);
}
