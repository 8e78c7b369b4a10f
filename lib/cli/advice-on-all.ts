import { PROVIDER_INTERFACES } from '../catalogue/provider-catalogue.js';
import type { SettingNames } from '../errors/setting-names.js';
import type { PlannedPair } from './plan.js';
import type { PairResult } from './report.js';

/** What no pair shows by itself: credentials that are refused in every environment may stand in each other's place. */
export function adviceOnAll(pairs: readonly PlannedPair[], results: readonly PairResult[]): string[] {
  return PROVIDER_INTERFACES.flatMap((name) => {
    const refused = results.filter((result) => result.interface === name && refusesCredentials(result));
    const settings = refused.flatMap(
      ({ environment }) =>
        pairs.find((pair) => pair.interface === name && pair.environment === environment)?.configured
          ?.profile ?? [],
    );
    if (settings.length < 2) return [];
    const [what, listed] = swappable(settings.map(({ names }) => names));
    return `${settings.map(({ environment }) => `${name} ${environment}`).join(' and ')} refuse their credentials. Have ${what} been swapped? Compare ${listed}.`;
  });
}

function refusesCredentials({ steps }: PairResult): boolean {
  const facts = steps.find(({ name, status }) => name === 'token-request' && status === 'failed')?.facts;
  return facts?.['oauthError'] === 'invalid_client' || facts?.['status'] === 401;
}

/** One token URL for all environments cannot be in the wrong place. */
function swappable(all: readonly SettingNames[]): [what: string, listed: string] {
  const ownTokenUrls = new Set(all.map(({ tokenUrl }) => tokenUrl)).size === all.length;
  const listed = all.map(({ clientId, clientSecret, tokenUrl }) =>
    [clientId, clientSecret, ...(ownTokenUrls ? [tokenUrl] : [])].join(', '),
  );
  return [ownTokenUrls ? 'their credentials or their token URLs' : 'their secrets', listed.join(' with ')];
}
