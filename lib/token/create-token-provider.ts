import type { HttpSettings, Profile, TokenSettings } from '../config/options/profile.js';
import type { TokenStore } from '../config/options/token-store.js';
import type { Clock } from '../time/clock.js';
import type { Random } from '../time/backoff.js';
import { CachedTokenProvider } from './cached-token-provider.js';
import { CooledSource } from './cooled-source.js';
import { CredentialedAttempts } from './credentialed-attempts.js';
import { CurrentSecret } from './current-secret.js';
import { GuardedStore } from './fleet/guarded-store.js';
import { Outage } from './outage.js';
import { RetryingSource } from './retrying-source.js';
import { SharedSource } from './fleet/shared-source.js';
import { TokenEndpoint, type TokenRequests } from './endpoint/token-endpoint.js';
import { TroubleReport } from './trouble-report.js';

interface TokenProviderSettings {
  readonly token: Omit<TokenSettings, 'atBoot'> & Partial<Pick<TokenSettings, 'atBoot'>>;
  readonly http: Pick<HttpSettings, 'httpsAgent' | 'proxy'>;
  readonly store?: TokenStore | undefined;
}

/**
 * Builds the token provider of a profile. Each part wraps the part before it:
 *
 * - `TokenEndpoint` sends one token request,
 * - `CredentialedAttempts` reads the client secret for it,
 * - `RetryingSource` tries again after a transient failure,
 * - `CooledSource` repeats a failure for a while instead of asking again,
 * - `SharedSource` shares the token with other processes, if there is a store,
 * - `CachedTokenProvider` keeps the token in memory and lets all callers share one request.
 */
export function createTokenProvider(
  profile: Profile,
  settings: TokenProviderSettings,
  clock: Clock,
  random: Random = Math.random,
  endpoint: TokenRequests = new TokenEndpoint(profile, settings.http, clock),
): CachedTokenProvider {
  const secret = new CurrentSecret(profile, clock);
  const { timeoutMs, maxAttempts } = settings.token;
  const attempts = new CredentialedAttempts({ pair: profile, endpoint, secret, timeoutMs, clock });
  const outage = new Outage(clock, random);
  const report = new TroubleReport(profile, undefined, {
    isTriedAtBoot: profile.active && settings.token.atBoot === 'try',
    http: settings.http,
  });
  const retrying = new RetryingSource({ inner: attempts, maxAttempts, outage, report, clock, random });
  const cooled = new CooledSource({ inner: retrying, secret, outage, clock, random });
  const store = settings.store && GuardedStore.of(settings.store, clock, random);
  const shared = { inner: cooled, profile, secret, settings: settings.token, outage, clock, random };
  return new CachedTokenProvider({
    profile,
    settings: settings.token,
    source: store ? new SharedSource({ ...shared, store }) : cooled,
    report,
    clock,
    store,
  });
}
