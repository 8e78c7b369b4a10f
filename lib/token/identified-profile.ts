import { isOfBuiltIn } from '../catalogue/catalogue.js';
import type { Profile, Settings } from '../config/options/profile.js';
import { AccountSource } from '../config/account-source.js';
import type { ConfigProblem } from '../errors/provider-auth-config.error.js';
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

/** Why there can be no such token. Calls get this as their error, because `for` itself must not depend on the configuration. */
export function problemOfIdentity(
  { provider }: Profile,
  identity: TokenIdentity,
  accounts: Settings['accounts'],
): ConfigProblem | undefined {
  const { account, ...terms } = identity.members;
  if (account !== undefined && accounts === undefined)
    return Object.freeze({
      path: 'accounts',
      message:
        'is missing: for({ account }) was used. Set it to a function that returns the credentials of an account.',
    });
  const [term] = Object.keys(terms);
  return term !== undefined && isOfBuiltIn({ provider })
    ? Object.freeze({
        path: term,
        message: `of for() cannot be used: the token request of this provider has no ${term}.`,
      })
    : undefined;
}
