import type { HttpSettings, Profile, Settings, TokenSettings } from '../config/options/profile.js';
import type { TokenStore } from '../config/options/token-store.js';
import { TokenOptions } from '../config/options/provider-auth-options.js';
import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import type { Random } from '../time/backoff.js';
import type { Clock } from '../time/clock.js';
import { CachedTokenProvider, type CachedTokenProviderParts } from './cached-token-provider.js';
import { CurrentSecret } from './current-secret.js';
import { TokenEndpoint, type TokenRequests } from './endpoint/token-endpoint.js';
import { TokenOrigins } from './token-origins.js';
import { EndpointSource } from './endpoint-source.js';
import { GuardedStore } from './fleet/guarded-store.js';
import { SharedSource } from './fleet/shared-source.js';
import { identifiedProfile, extraForFailing, problemOfIdentity, TokenBook } from './identified-tokens.js';
import { Outage } from './outage.js';
import type { Whole } from './token-source.js';
import { sharedThrottles, TroubleReport } from './trouble-report.js';

interface TokenProviderSettings {
  readonly token: Omit<TokenSettings, 'atBoot' | 'maxAccounts'> &
    Partial<Pick<TokenSettings, 'atBoot' | 'maxAccounts'>>;
  readonly http: Pick<HttpSettings, 'httpsAgent' | 'proxy'>;
  readonly store?: TokenStore | undefined;
  readonly accounts?: Settings['accounts'];
  /** @default separate from those of all other token providers */
  readonly origins?: TokenOrigins | undefined;
}

/** The token provider of a pair, with those of its accounts and scopes. */
export function createTokenProvider(
  pair: Profile,
  settings: TokenProviderSettings,
  clock: Clock,
  random: Random = Math.random,
  endpointOf?: (profile: Profile) => TokenRequests,
): CachedTokenProvider {
  const { token, http, accounts, origins = new TokenOrigins(clock) } = settings;
  const { places, connections } = origins.of(pair.tokenUrl);
  const [takeOwnPlace, takeAccountPlace] = [places.ofPair(), places.ofAccounts()];
  const most = token.maxAccounts ?? new TokenOptions().maxAccounts ?? 0;
  const store =
    settings.store && GuardedStore.of(settings.store, clock, random).forPair(most + extraForFailing(most));

  const sharedThrottle = sharedThrottles(clock);

  /** Each part wraps the part before it. */
  const create = (
    profile: Profile,
    kind: Whole<Pick<CachedTokenProviderParts, 'book' | 'onIdle' | 'refusal'>>,
  ): CachedTokenProvider => {
    const isPair = profile === pair;
    const isTriedAtBoot = isPair && pair.active && token.atBoot === 'try';
    const report = new TroubleReport(profile, undefined, {
      isTriedAtBoot,
      http,
      sharedThrottle: isPair ? undefined : sharedThrottle,
    });
    const secret = new CurrentSecret(profile, clock);
    const outage = new Outage(clock, random);
    const takePlace = isPair ? takeOwnPlace : takeAccountPlace;
    const common = { secret, settings: token, outage, takePlace, clock, random };
    const endpoint = endpointOf?.(profile) ?? new TokenEndpoint(profile, http, clock, connections);
    const asking = new EndpointSource({ ...common, pair: profile, endpoint, report });
    const source = store ? new SharedSource({ ...common, profile, inner: asking, store }) : asking;
    return new CachedTokenProvider({ profile, settings: token, source, report, clock, store, ...kind });
  };

  const book: TokenBook<CachedTokenProvider> = new TokenBook(most, (identity) => {
    const problem = problemOfIdentity(pair, identity, accounts);
    const refusal =
      problem && (() => new ProviderAuthConfigError('NOT_CONFIGURED', [problem], pair.provider));
    const profile = identifiedProfile(pair, identity, accounts);
    return create(profile, { book: undefined, onIdle: () => book.ended(identity), refusal });
  });
  return create(pair, { book, onIdle: undefined, refusal: undefined });
}
