import { CREDENTIAL_OPTIONS, isOfBuiltIn } from '../catalogue/catalogue.js';
import { accountSource } from '../config/account-source.js';
import type { Profile, Settings } from '../config/options/profile.js';
import type { ConfigProblem } from '../errors/provider-auth-config.error.js';
import type { AccessToken } from '../secrets/access-token.js';
import { TokenIdentity, type TokenTarget } from './token-identity.js';
import {
  type TokenCallOptions,
  TokenProvider,
  type TokenStatus,
  type TrackedTokenProvider,
} from './token-provider.js';

/** The tokens of accounts, and for other scopes, audiences and resources, of one pair (B33). */

/** While all tokens are being requested, a search for one that can go ends after so many. */
const LOOKS_FOR_ROOM = 8;

/** What `for` of a token provider gives. It keeps no token: a token that was not used for long is gone, and is requested again. */
export class IdentifiedTokens extends TokenProvider<string, string> {
  readonly interface: string;
  readonly environment: string;
  readonly active: boolean;
  readonly #pair: TrackedTokenProvider;
  readonly #identity: TokenIdentity;

  constructor(pair: TrackedTokenProvider, identity: TokenIdentity) {
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

/**
 * Each token has its own provider, which is made for its first use. The one that was not used for longest goes first, but never
 * one whose request is under way, and none that has had a token makes room for one that never had any: names that a caller
 * guesses push out only each other.
 */
export class TokenBook<Provider extends { readonly state: string; readonly isBusy: boolean }> {
  /** Those that never had a token, and those that had. Both in the order of their last use. */
  readonly #untried = new Map<string, Provider>();
  readonly #tried = new Map<string, Provider>();

  constructor(
    private readonly most: number,
    private readonly create: (identity: TokenIdentity) => Provider,
  ) {}

  /** @param isUse without a use, a new provider is not kept. */
  of(identity: TokenIdentity, isUse = true): Provider {
    const { key } = identity;
    const tried = this.#tried.get(key);
    const known = tried ?? this.#untried.get(key);
    if (!isUse) return known ?? this.create(identity);
    const shelf = tried ? this.#tried : this.#untried;
    if (known) shelf.delete(key);
    else dropFrom(this.#untried, this.#mostUntried - 1);
    const provider = known ?? this.create(identity);
    shelf.set(key, provider);
    return provider;
  }

  /** A request has ended. While many were under way, there were too many providers. */
  ended({ key }: TokenIdentity): void {
    const provider = this.#untried.get(key);
    if (provider?.state === 'valid') {
      this.#untried.delete(key);
      this.#tried.set(key, provider);
    }
    dropFrom(this.#tried, this.most);
    dropFrom(this.#untried, this.#mostUntried);
  }

  /** Undefined if no token of this kind was ever used. */
  get counts(): { tokens: number; failing: number } | undefined {
    const states = this.providers.map(({ state }) => state);
    const count = (wanted: string): number => states.filter((state) => state === wanted).length;
    return states.length === 0 ? undefined : { tokens: count('valid'), failing: count('failing') };
  }

  get providers(): readonly Provider[] {
    return [...this.#untried.values(), ...this.#tried.values()];
  }

  get #mostUntried(): number {
    return Math.max(extraForFailing(this.most), this.most - this.#tried.size);
  }
}

/** How many accounts without a token are kept above the limit, so that those that fail keep their cool-downs (B7). */
export function extraForFailing(most: number): number {
  return Math.ceil(most / 10);
}

function dropFrom<Provider extends { readonly isBusy: boolean }>(
  shelf: Map<string, Provider>,
  most: number,
): void {
  let looks = LOOKS_FOR_ROOM;
  for (const [key, provider] of shelf) {
    if (shelf.size <= most || looks === 0) break;
    looks -= 1;
    shelf.delete(key);
    // One that is in use counts as used now.
    if (provider.isBusy) shelf.set(key, provider);
  }
}

type Accounts = Settings['accounts'];

/** The profile of a pair for the token of an identity. */
export function identifiedProfile(profile: Profile, identity: TokenIdentity, accounts: Accounts): Profile {
  const { account, ...terms } = identity.members;
  // Without a prototype, as in the catalogue: a polluted one adds no field to a token request (B36).
  const ownTerms = () => Object.setPrototypeOf({ ...profile.terms, ...terms }, null) as Profile['terms'];
  // The same object for the built-in provider, whose token request has no further fields.
  const identified = { ...profile, terms: Object.keys(terms).length > 0 ? ownTerms() : profile.terms };
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
    sharedValues: undefined,
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
  accounts: Accounts,
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
