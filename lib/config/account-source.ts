import { CREDENTIAL_OPTIONS } from '../catalogue/catalogue.js';
import { type ClientCredential, ofClient } from '../secrets/client-credential.js';
import { Secret } from '../secrets/secret.js';
import type { SecretSource } from '../secrets/secret-source.js';
import { isRecord } from '../values/is-object.js';
import { memberOf } from '../values/member-of.js';
import type { AccountLoader } from './options/provider-auth-options.js';
import type { Profile } from './options/profile.js';
import { flawOfText, kindOf } from './rules/text-rules.js';
import { SETTINGS } from './table/settings.js';
import { CLIENT_CERTIFICATE, SigningKeySource } from './secret-sources/client-key.js';
import {
  answerOf,
  checkedSecret,
  clientSecretOf,
  FixedSecret,
  revealed,
  type SecretKind,
  unreadableSecret,
} from './secret-sources/secret-sources.js';

const PLACE = { path: 'accounts', env: undefined };

/** `accounts` of the options has no credentials for this account. */
export class UnknownAccountError extends Error {}

/** The credentials of one account, from the function of the application (B33). They are read for each token request (B8). */
export class AccountSource implements SecretSource {
  readonly #profile: Profile;
  readonly #account: string;
  readonly #load: AccountLoader;

  constructor(profile: Profile, account: string, load: AccountLoader) {
    this.#profile = profile;
    this.#account = account;
    this.#load = load;
    Object.freeze(this);
  }

  async read(): Promise<ClientCredential> {
    const { interface: name, environment } = this.#profile;
    const given = await answerOf(() => this.#load(this.#account, { interface: name, environment }), PLACE);
    if (given === undefined) throw new UnknownAccountError();
    if (!isRecord(given))
      throw refused(`must return an object with credentials, or undefined, not ${kindOf(given)}.`);
    const { terms = {}, provider = '', clientSecret } = this.#profile;
    const { clientAuth = 'post', assertion } = terms;
    const member = CREDENTIAL_OPTIONS[clientAuth];
    const clientId = idIn(given, clientAuth !== 'client_assertion');
    // The certificate of the connection is that of the pair.
    const own =
      member === 'tls'
        ? clientSecret
        : fixed(given, member, SETTINGS.environment[member].secretKind?.(provider));
    const source =
      assertion === undefined
        ? own
        : new SigningKeySource({
            key: own,
            certificate:
              memberOf(given, 'clientCertificate') === undefined
                ? undefined
                : fixed(given, 'clientCertificate', CLIENT_CERTIFICATE),
            terms: {
              algorithm: assertion.algorithm,
              certificate: assertion.certificate,
              keyId: keyIdIn(given),
            },
            places: { clientKey: PLACE, clientCertificate: PLACE },
          });
    return ofClient(await source.read(), clientId);
  }
}

function refused(message: string): Error {
  return unreadableSecret(PLACE, message);
}

function idIn(given: object, isRequired: boolean): Secret | undefined {
  const id = revealed(memberOf(given, 'clientId'));
  if (id === undefined && !isRequired) return undefined;
  const flaw = flawOfText(id, 'Return it.');
  if (flaw !== undefined) throw refused(`cannot be used: it returns a clientId which ${flaw}`);
  return new Secret(String(id));
}

function keyIdIn(given: object): string | undefined {
  const id = memberOf(given, 'keyId');
  const flaw = id === undefined ? undefined : flawOfText(id);
  if (flaw !== undefined) throw refused(`cannot be used: it returns a keyId which ${flaw}`);
  return typeof id === 'string' ? id : undefined;
}

function fixed(given: object, member: string, kind: SecretKind = clientSecretOf(undefined)): FixedSecret {
  const value = revealed(memberOf(given, member));
  return new FixedSecret(checkedSecret(value, PLACE, `it returns a ${member} which`, kind));
}
