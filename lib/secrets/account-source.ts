import { CREDENTIAL_OPTIONS } from '../catalogue/catalogue.js';
import type { ProviderPair } from '../catalogue/provider-catalogue.js';
import type { NamedPair } from '../errors/setting-names.js';
import { isRecord, memberOf } from '../values/objects.js';
import { withFacts } from './client-credential.js';
import { type CredentialOption, credentialSource, signingKeySource } from './client-key.js';
import { revealed, Secret } from './secret.js';
import { answerOf, asking, credentialOf, type SecretPlace, type SecretSource } from './secret-source.js';
import { flawOfText, inWords, kindOf, UnusableValue } from './text-rules.js';

const PLACE = { path: 'accounts', env: undefined };
const placeOf = (option: string): SecretPlace => ({
  path: `the ${option} that accounts returns`,
  env: undefined,
});

/** What the function of the application does about a value that is missing. */
const RETURN_IT = 'Return it.';

type AccountFunction = (account: string, pair: ProviderPair<string, string>) => unknown;

interface AccountPair extends NamedPair {
  readonly clientSecret: SecretSource;
}

/** `accounts` of the options has no credentials for this account. */
export class UnknownAccountError extends Error {}

/** The credentials of one account, from the function of the application. They are read for each token request. */
export function accountSource(profile: AccountPair, account: string, load: AccountFunction): SecretSource {
  const { interface: name, environment, terms = {}, provider, clientSecret } = profile;
  const { clientAuth = 'post', assertion } = terms;
  const member = CREDENTIAL_OPTIONS[clientAuth];
  return asking(PLACE, async (isAgain) => {
    const given = await answerOf(() => load(account, { interface: name, environment }));
    if (given === undefined) throw new UnknownAccountError();
    if (!isRecord(given))
      throw new UnusableValue(`must return an object with credentials, or undefined, not ${kindOf(given)}.`);
    const sourceIn = (option: CredentialOption): SecretSource =>
      credentialSource(given, option, placeOf(option), provider, RETURN_IT);
    const isNamed = clientAuth !== 'client_assertion' || memberOf(given, 'clientId') !== undefined;
    const clientId = isNamed ? new Secret(textIn(given, 'clientId', RETURN_IT)) : undefined;
    // The certificate of the connection is that of the pair.
    let source = member === 'tls' ? clientSecret : sourceIn(member);
    if (assertion !== undefined) {
      const hasCertificate = memberOf(given, 'clientCertificate') !== undefined;
      const keyId = memberOf(given, 'keyId') === undefined ? undefined : textIn(given, 'keyId');
      const certificate = hasCertificate ? sourceIn('clientCertificate') : undefined;
      source = signingKeySource(source, certificate, { assertion, keyId, placeOf });
    }
    return withFacts(await source.read(isAgain), { clientId });
  });
}

function textIn(holder: object, member: 'clientId' | 'keyId', remedy?: string): string {
  const value = revealed(memberOf(holder, member));
  const words = `cannot be used: it returns a ${member} which`;
  return inWords(words, () => credentialOf(value, flawOfText(value, remedy))).reveal();
}
