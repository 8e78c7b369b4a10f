import type { NamedPair } from '../errors/setting-names.js';
import type { SecretSource } from '../secrets/secret-source.js';

interface WithSecret extends NamedPair {
  readonly clientSecret: SecretSource;
}

/**
 * The setting of another environment of the same interface that holds the same client secret. One of the two is probably
 * in the wrong place (S5). A secret from a function is not read at boot, and is not compared.
 */
export function settingWithSameSecret(pair: WithSecret, all: readonly WithSecret[]): string | undefined {
  const secret = pair.clientSecret.atBoot;
  const twin = all.find(
    ({ interface: name, environment, clientSecret: { atBoot } }) =>
      name === pair.interface &&
      environment !== pair.environment &&
      secret !== undefined &&
      atBoot?.equals(secret),
  );
  return twin?.names.clientSecret;
}
