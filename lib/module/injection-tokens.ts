import { capitals } from '../catalogue/catalogue.js';

/** What can be injected by name. */
type Kind = 'HTTP' | 'FETCH' | 'TOKEN_PROVIDER' | 'SETTINGS' | 'REPLACEMENT' | 'OVERRIDE_CHECK';

/** The injection token of one thing of a provider: `PROVIDER_AUTH:HTTP:easy:sandbox`. @internal */
export function injectionToken(provider: string, kind: Kind, of?: string, environment?: string): string {
  const place = [of, environment].filter((part) => part !== undefined);
  return [`${capitals(provider)}_AUTH`, kind, ...place].join(':');
}
