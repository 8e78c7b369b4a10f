import { createHash } from 'node:crypto';
import type { AnyPair } from '../../catalogue/catalogue.js';
import type { SimulatorCredentials } from '../../testing/index.js';

/**
 * The same credentials at each start and in each folder, so that a restart of the simulator needs no restart of the
 * application. The secret contains characters that wrong form encoding breaks (S2), but none that an env file or a shell
 * treats specially, so the file works without quotes.
 */
export function fixedCredentials({ interface: name, environment }: AnyPair): SimulatorCredentials {
  const digest = createHash('sha256').update(`provider-auth simulate ${name} ${environment}`).digest('hex');
  const parts = [digest.slice(0, 12), digest.slice(12, 24), digest.slice(24, 36), digest.slice(36, 48)];
  return { clientId: `${name}-${environment}-simulated`, clientSecret: parts.join('+%=').replace('=', '/') };
}
