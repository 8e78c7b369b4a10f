import { onTestFinished, vi } from 'vitest';

/** All variables that may name a proxy, or a host that needs no proxy. */
const VARIABLES = ['https_proxy', 'all_proxy', 'no_proxy'];

/** Sets the proxy variables of this process until the test ends, and removes those that are not given. */
export function givenEnvironment(environment: Readonly<Record<string, string>> = {}): void {
  // First all of them: on Windows, a name in upper case is the same variable.
  for (const name of VARIABLES.flatMap((one) => [one, one.toUpperCase()])) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}
