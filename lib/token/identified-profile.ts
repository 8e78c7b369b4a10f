import { isOfBuiltIn } from '../catalogue/catalogue.js';
import type { Profile, Settings } from '../config/options/profile.js';
import { AccountSource } from '../config/account-source.js';
import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import type { TokenIdentity } from './token-identity.js';

/** The profile of a pair for the token of an account, or with another scope, audience or resource (B33). */
export function identifiedProfile(
  profile: Profile,
  identity: TokenIdentity,
  accounts: Settings['accounts'],
): Profile {
  const { account, ...terms } = identity.members;
  return {
    ...profile,
    active: false,
    // The same object for the built-in provider, whose token request has no further fields.
    terms: Object.keys(terms).length === 0 ? profile.terms : { ...profile.terms, ...terms },
    ...(account !== undefined &&
      accounts && {
        account,
        clientId: undefined,
        clientSecret: new AccountSource(profile, account, accounts),
        names: {
          ...profile.names,
          clientId: `clientId of accounts('${account}')`,
          clientSecret: `what accounts('${account}') returns`,
        },
        sameSecretAs: undefined,
        sharedValues: undefined,
      }),
  };
}

/** Why there can be no such token. Calls get this error, because `for` itself must not depend on the configuration. */
export function refusalOfIdentity(
  { provider }: Profile,
  identity: TokenIdentity,
  accounts: Settings['accounts'],
): ProviderAuthConfigError | undefined {
  const refused = (path: string, message: string): ProviderAuthConfigError =>
    new ProviderAuthConfigError('NOT_CONFIGURED', [Object.freeze({ path, message })], provider);
  const { account, ...terms } = identity.members;
  if (account !== undefined && accounts === undefined)
    return refused(
      'accounts',
      'is missing: for({ account }) was used. Set it to a function that returns the credentials of an account.',
    );
  const [term] = Object.keys(terms);
  return term !== undefined && isOfBuiltIn({ provider })
    ? refused(term, `of for() cannot be used: the token request of this provider has no ${term}.`)
    : undefined;
}
