import { CREDENTIAL_OPTIONS } from '../catalogue/catalogue.js';
import type { ProviderPair } from '../catalogue/provider-catalogue.js';
import type { NamedPair } from '../errors/setting-names.js';
import { withFacts } from './client-credential.js';
import { revealed, Secret } from './secret.js';
import { isRecord, memberOf } from '../values/objects.js';
import { flawOfText, kindOf } from './text-rules.js';
import { CREDENTIAL_KINDS, signingKeySource } from './client-key.js';
import {
  answerOf,
  boundTo,
  type SecretPlace,
  type SecretSource,
  sourceOf,
  UnreadableSecretError,
} from './secret-source.js';

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
  return Object.freeze({
    async read(isAgain?: boolean) {
      const given = await answerOf(() => load(account, { interface: name, environment }), PLACE);
      if (given === undefined) throw new UnknownAccountError();
      if (!isRecord(given))
        throw refused(`must return an object with credentials, or undefined, not ${kindOf(given)}.`);
      const sourceIn = (option: keyof typeof CREDENTIAL_KINDS): SecretSource => {
        const place = placeOf(option);
        const read = CREDENTIAL_KINDS[option](provider, RETURN_IT);
        const source = sourceOf(boundTo(given, memberOf(given, option)), place, read);
        if (typeof source === 'string') throw new UnreadableSecretError(place, source);
        return source;
      };
      const clientId = textIn(
        revealed(memberOf(given, 'clientId')),
        'clientId',
        clientAuth !== 'client_assertion',
      );
      // The certificate of the connection is that of the pair.
      const key = member === 'tls' ? clientSecret : sourceIn(member);
      const hasCertificate = memberOf(given, 'clientCertificate') !== undefined;
      const source =
        assertion === undefined
          ? key
          : signingKeySource({
              key,
              certificate: hasCertificate ? sourceIn('clientCertificate') : undefined,
              assertion,
              keyId: textIn(memberOf(given, 'keyId'), 'keyId'),
              placeOf,
            });
      const credential = await source.read(isAgain);
      return withFacts(credential, { clientId: clientId === undefined ? undefined : new Secret(clientId) });
    },
  });
}

function refused(message: string): Error {
  return new UnreadableSecretError(PLACE, message);
}

function textIn(value: unknown, member: 'clientId' | 'keyId', isRequired = false): string | undefined {
  if (value === undefined && !isRequired) return undefined;
  const flaw = flawOfText(value, member === 'clientId' ? RETURN_IT : undefined);
  if (flaw !== undefined) throw refused(`cannot be used: it returns a ${member} which ${flaw}`);
  return String(value);
}
