import type { HttpSettings, Profile, Settings, TokenSettings } from '../config/options/profile.js';
import type { TokenStore } from '../config/options/token-store.js';
import { SETTINGS } from '../config/table/settings.js';
import type { Clock } from '../time/clock.js';
import type { Random } from '../time/backoff.js';
import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { CachedTokenProvider } from './cached-token-provider.js';
import { CurrentSecret } from './current-secret.js';
import { EndpointSource } from './endpoint-source.js';
import { GuardedStore } from './fleet/guarded-store.js';
import { identifiedProfile, problemOfIdentity } from './identified-profile.js';
import { Outage } from './outage.js';
import { SharedSource } from './fleet/shared-source.js';
import { TokenEndpoint, type TokenRequests } from './endpoint/token-endpoint.js';
import { TokenBook } from './token-book.js';
import type { TokenSource } from './token-source.js';
import { TroubleReport } from './trouble-report.js';

interface TokenProviderSettings {
  readonly token: Omit<TokenSettings, 'atBoot' | 'maxAccounts'> &
    Partial<Pick<TokenSettings, 'atBoot' | 'maxAccounts'>>;
  readonly http: Pick<HttpSettings, 'httpsAgent' | 'proxy'>;
  readonly store?: TokenStore | undefined;
  readonly accounts?: Settings['accounts'];
}

interface Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly endpointOf: (profile: Profile) => TokenRequests;
  readonly store: GuardedStore | undefined;
}

/** A pair has a book. The token of an account or a scope has what the book needs, and may be refused. */
interface Kind {
  readonly book?: TokenBook<CachedTokenProvider>;
  readonly onIdle?: () => void;
  readonly refusing?: TokenSource | undefined;
}

/** The token provider of a pair, with those of its accounts and scopes. */
export function createTokenProvider(
  profile: Profile,
  settings: TokenProviderSettings,
  clock: Clock,
  random: Random = Math.random,
  endpointOf: (profile: Profile) => TokenRequests = (one) => new TokenEndpoint(one, settings.http, clock),
): CachedTokenProvider {
  const { accounts } = settings;
  const most = settings.token.maxAccounts ?? SETTINGS.token.maxAccounts.default;
  const store = settings.store && GuardedStore.of(settings.store, clock, random).forPair(most);
  const surroundings = { clock, random, endpointOf, store };
  const book: TokenBook<CachedTokenProvider> = new TokenBook(most, (identity) => {
    const problem = problemOfIdentity(profile, identity, accounts);
    const refusing = problem && {
      obtain: () =>
        Promise.reject(new ProviderAuthConfigError('NOT_CONFIGURED', [problem], profile.provider)),
    };
    const source = { refusing, onIdle: () => book.trim() };
    return createOne(identifiedProfile(profile, identity, accounts), settings, surroundings, source);
  });
  return createOne(profile, settings, surroundings, { book });
}

/**
 * Builds the token provider of a profile. Each part wraps the part before it:
 *
 * - `TokenEndpoint` sends one token request,
 * - `EndpointSource` reads the client secret for it, tries again after a transient failure, and repeats a lasting one for a while,
 * - `SharedSource` shares the token with other processes, if there is a store,
 * - `CachedTokenProvider` keeps the token in memory and lets all callers share one request.
 */
function createOne(
  profile: Profile,
  settings: TokenProviderSettings,
  { clock, random, endpointOf, store }: Surroundings,
  { refusing, ...kind }: Kind,
): CachedTokenProvider {
  const { token, http } = settings;
  const secret = new CurrentSecret(profile, clock);
  const outage = new Outage(clock, random);
  const isTriedAtBoot = kind.book !== undefined && profile.active && token.atBoot === 'try';
  const report = new TroubleReport(profile, undefined, { isTriedAtBoot, http });
  const common = { secret, settings: token, outage, clock, random };
  const inner = new EndpointSource({ ...common, pair: profile, endpoint: endpointOf(profile), report });
  return new CachedTokenProvider({
    profile,
    settings: token,
    source: refusing ?? (store ? new SharedSource({ ...common, profile, inner, store }) : inner),
    report,
    clock,
    store,
    ...kind,
  });
}
