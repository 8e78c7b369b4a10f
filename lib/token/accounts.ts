import { CREDENTIAL_OPTIONS, isOfBuiltIn } from '../catalogue/catalogue.js';
import { accountSource } from '../secrets/account-source.js';
import { withoutPrototype } from '../values/objects.js';
import type { Profile, Settings } from '../config/options/profile.js';
import type { ConfigProblem } from '../errors/provider-auth-config.error.js';
import type { AccessToken } from '../secrets/access-token.js';
import { TokenIdentity, type TokenTarget } from './token-identity.js';
import { type TokenCallOptions, TokenProvider, type TokenStatus } from './token-provider.js';

/** While all tokens are being requested, the search for one that can go ends after so many. */
const LOOKS_FOR_ROOM = 8;

type AnyTokenProvider = TokenProvider<string, string>;

interface Keeper extends AnyTokenProvider {
  of(identity: TokenIdentity, isUse?: boolean): AnyTokenProvider;
}

/** What `for` of a token provider gives. It keeps no token: a token that was not used for long is gone, and is requested again. */
export class IdentifiedTokens extends TokenProvider<string, string> {
  readonly interface: string;
  readonly environment: string;
  readonly active: boolean;
  readonly #pair: Keeper;
  readonly #identity: TokenIdentity;

  constructor(pair: Keeper, identity: TokenIdentity) {
    super();
    this.interface = pair.interface;
    this.environment = pair.environment;
    this.active = pair.active;
    this.#pair = pair;
    this.#identity = identity;
  }

  async getToken(options?: TokenCallOptions): Promise<AccessToken> {
    return this.#pair.of(this.#identity).getToken(options);
  }

  async renew(refused: AccessToken, options?: TokenCallOptions): Promise<AccessToken> {
    return this.#pair.of(this.#identity).renew(refused, options);
  }

  status(): TokenStatus<string, string> {
    return this.#pair.of(this.#identity, false).status();
  }

  for(target: TokenTarget): TokenProvider<string, string> {
    return new IdentifiedTokens(this.#pair, TokenIdentity.of(target, this.#identity) ?? this.#identity);
  }
}

/** The tokens of accounts and scopes that were used last. Each is made for its first use. */
export class Accounts<Provider extends { readonly state: string; readonly isBusy: boolean }> {
  readonly #known = new Map<string, Provider>();

  constructor(
    private readonly most: number,
    private readonly create: (identity: TokenIdentity) => Provider,
  ) {}

  /** @param isUse without a use, a new one is not kept. */
  of(identity: TokenIdentity, isUse = true): Provider {
    const { key } = identity;
    const known = this.#known.get(key);
    const provider = known ?? this.create(identity);
    if (!isUse) return provider;
    if (known) this.#known.delete(key);
    else this.dropUnused(this.most - 1);
    this.#known.set(key, provider);
    return provider;
  }

  /** The one that was not used for longest goes first, but none whose request is under way. Call this when a request has ended. */
  dropUnused(most = this.most): void {
    let looks = LOOKS_FOR_ROOM;
    for (const [key, provider] of this.#known) {
      if (this.#known.size <= most || looks === 0) break;
      looks -= 1;
      this.#known.delete(key);
      // One that is busy counts as used now.
      if (provider.isBusy) this.#known.set(key, provider);
    }
  }

  get counts(): { tokens: number; failing: number } | undefined {
    const states = this.all.map(({ state }) => state);
    const count = (wanted: string): number => states.filter((state) => state === wanted).length;
    return states.length === 0 ? undefined : { tokens: count('valid'), failing: count('failing') };
  }

  get all(): readonly Provider[] {
    return [...this.#known.values()];
  }
}

export function identifiedProfile(
  profile: Profile,
  identity: TokenIdentity,
  accounts: Settings['accounts'],
): Profile {
  const { account, ...terms } = identity.members;
  // As in the catalogue: a polluted prototype adds no field to a token request.
  const identified = { ...profile, terms: withoutPrototype({ ...profile.terms, ...terms }) };
  if (account === undefined || accounts === undefined) return identified;
  const secret = CREDENTIAL_OPTIONS[profile.terms?.clientAuth ?? 'post'];
  return {
    ...identified,
    account,
    clientId: undefined,
    clientSecret: accountSource(profile, account, accounts),
    names: {
      ...profile.names,
      clientId: givenFor(account, 'clientId'),
      clientSecret: givenFor(account, secret === 'tls' ? 'credentials' : secret),
    },
    sameSecretAs: undefined,
  };
}

/** A log line ends with such a name in parentheses: an account must not end them, nor begin another code. */
function givenFor(account: string, what: string): string {
  return `the ${what} that accounts returns for ${account.replaceAll(/[()]/g, '_')}`;
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
        message: `of for() cannot be used: the token request of this provider has no ${term}. Leave it out, or define a provider that has one.`,
      })
    : undefined;
}
