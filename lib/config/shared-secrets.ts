import type { NamedPair } from '../errors/setting-names.js';
import type { Secret } from '../secrets/secret.js';
import type { Profile } from './options/profile.js';

type Pair = Omit<Profile, 'active'>;

/**
 * The settings of other pairs with the same client secret or client id. Within an interface, one of two equal secrets is probably
 * in the wrong place (S5). For other equal values, errors say so after a refusal. A secret that was not read at boot is
 * not compared, and one assertion may be meant for several environments.
 */
export function sharedCredentials(
  pair: Pair,
  all: readonly Pair[],
): Pick<NamedPair, 'sameSecretAs' | 'sharedValues'> {
  const secret = secretOf(pair);
  const twin = all.find(
    (other) =>
      other.interface === pair.interface &&
      other.environment !== pair.environment &&
      isSame(secret, secretOf(other)) &&
      // A definition may have one client for both environments.
      !isSame(pair.clientId, other.clientId),
  );
  const sharedValues = credentialsOf(pair).flatMap(({ kind, setting, value }) => {
    const same = all
      .flatMap((other) =>
        credentialsOf(other).filter((of) => of.kind !== kind || other.interface !== pair.interface),
      )
      .find((of) => of.setting !== setting && isSame(value, of.value));
    return same === undefined ? [] : [{ setting, sameAs: same.setting, isMixed: same.kind !== kind }];
  });
  return { sameSecretAs: twin?.names.clientSecret, sharedValues };
}

function isSame(one: Secret | undefined, other: Secret | undefined): boolean {
  // No caller can measure the boot, so a slow comparison in constant time would protect nothing.
  return one !== undefined && one.reveal() === other?.reveal();
}

function secretOf({ credential, clientSecret }: Pair): Secret | undefined {
  return credential === 'assertion' ? undefined : clientSecret.atBoot;
}

function credentialsOf(pair: Pair) {
  const { names, clientId } = pair;
  return [
    { kind: 'id', setting: names.clientId, value: clientId },
    { kind: 'secret', setting: names.clientSecret, value: secretOf(pair) },
  ];
}
