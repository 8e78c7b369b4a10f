import type { HttpSettings, Profile, Settings, TokenSettings } from '../config/options/profile.js';
import type { TokenStore } from '../config/options/token-store.js';
import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import type { Random } from '../time/backoff.js';
import { type Clock, inBackground } from '../time/clock.js';
import { Accounts, identifiedProfile, problemOfIdentity } from './accounts.js';
import { TokenEndpoint, type TokenRequests } from './endpoint/token-endpoint.js';
import { Fleet } from './fleet/fleet.js';
import { GuardedStore } from './fleet/guarded-store.js';
import { Outage } from './outage.js';
import { Renewal } from './renewal.js';
import type { TokenIdentity } from './token-identity.js';
import { TokenOrigins } from './token-origins.js';
import { Tokens } from './tokens.js';
import { sharedThrottles, TroubleReport } from './trouble-report.js';

interface TokenProviderSettings {
  readonly token: TokenSettings;
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
): Tokens {
  const { token, http, origins = new TokenOrigins(clock) } = settings;
  // `Tokens` keeps the process alive while a caller waits.
  const background = inBackground(clock);
  const origin = origins.of(pair.tokenUrl);
  origin.addPair();
  const store = settings.store && GuardedStore.of(settings.store, background, random);
  const sharedThrottle = sharedThrottles(clock);

  const create = (profile: Profile, isPair: boolean) => {
    const report = new TroubleReport(profile, undefined, {
      isTriedAtBoot: isPair && pair.active && token.atBoot === 'try',
      http,
      sharedThrottle: isPair ? undefined : sharedThrottle,
    });
    const outage = new Outage(clock, random);
    const parts = { profile, settings: token, outage, report, clock: background, random };
    const source = new Renewal({
      ...parts,
      endpoint: endpointOf?.(profile) ?? new TokenEndpoint(profile, http, background, origin),
      fleet: store && new Fleet({ ...parts, store }),
      slot: (ends) => origin.slot(isPair ? 'own' : 'account', ends),
    });
    return { profile, settings: token, report, clock, source, store };
  };

  const createForAccount = (identity: TokenIdentity): Tokens => {
    const problem = problemOfIdentity(pair, identity, settings.accounts);
    const refusal =
      problem && (() => new ProviderAuthConfigError('NOT_CONFIGURED', [problem], pair.provider));
    const profile = identifiedProfile(pair, identity, settings.accounts);
    return new Tokens({ ...create(profile, false), onIdle: () => accounts.dropUnused(), refusal });
  };
  const accounts = new Accounts(token.maxAccounts, createForAccount);
  return new Tokens({ ...create(pair, true), accounts });
}
