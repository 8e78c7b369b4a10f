import { parsedUrl } from '../../net/parsed-url.js';
import type { ConfiguredBaseUrl } from '../plan.js';

/**
 * How the address in a claim relates to the configured base URLs:
 * - `own`: the base URL of the pair, an address under it, or an address above it;
 * - `other`: an address of another configured base URL, by its path, or by its host only;
 * - `elsewhere`: an address on the host of the base URL, with another path;
 * - `unknown`: no address, or an address that belongs to no configured base URL.
 */
export type AddressVerdict =
  | { readonly kind: 'own' | 'elsewhere' | 'unknown' }
  | { readonly kind: 'other'; readonly by: 'path' | 'host'; readonly owners: readonly ConfiguredBaseUrl[] };

/** Compares a claim with the configured base URLs. `own` is the base URL of the pair that the token belongs to. */
export function checkAddress(
  claim: string,
  own: string,
  baseUrls: readonly ConfiguredBaseUrl[],
): AddressVerdict {
  const [place, ownPlace] = [placeOf(claim), placeOf(own)];
  if (place === undefined || ownPlace === undefined) return { kind: 'unknown' };
  const placed = baseUrls.map((owner) => ({ owner, at: placeOf(owner.url) ?? '' }));
  const above = placed.filter(({ at }) => place.startsWith(at));
  // `/v1/easy` is more exact than `/v1`.
  const longest = Math.max(...above.map(({ at }) => at.length));
  const nearest = above.filter(({ at }) => at.length === longest);
  if (nearest.some(({ owner }) => owner.url === own) || ownPlace.startsWith(place)) return { kind: 'own' };
  const byPath = nearest.length > 0 ? nearest : placed.filter(({ at }) => at.startsWith(place));
  if (byPath.length > 0) return { kind: 'other', by: 'path', owners: byPath.map(({ owner }) => owner) };
  if (hostOf(place) === hostOf(ownPlace)) return { kind: 'elsewhere' };
  const byHost = placed.filter(({ at }) => hostOf(at) === hostOf(place));
  return byHost.length > 0
    ? { kind: 'other', by: 'host', owners: byHost.map(({ owner }) => owner) }
    : { kind: 'unknown' };
}

/**
 * Whether an issuer that seems to belong to other settings is only the issuer of the token URL: it has the same host and
 * no more, or the token URL lies under it, or the token URL lies under the same addresses. Such an issuer says nothing
 * about the API.
 */
export function isIssuerOfTokenUrl(iss: string, tokenUrl: string, verdict: AddressVerdict): boolean {
  const [place = '', asked = ''] = [placeOf(iss), placeOf(tokenUrl)];
  if (verdict.kind !== 'other' || hostOf(place) !== hostOf(asked)) return false;
  return (
    verdict.by === 'host' ||
    asked.startsWith(place) ||
    verdict.owners.every(({ url }) => asked.startsWith(placeOf(url) ?? ''))
  );
}

/**
 * Host and path, with a slash at the end: one place lies under another if it begins with it. `api.example.com/v1` counts as an
 * address too, because some providers omit the scheme.
 */
function placeOf(text: string): string | undefined {
  const url = parsedUrl(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  return url && `${url.host}${url.pathname}/`.replaceAll(/\/+/g, '/');
}

function hostOf(place: string): string {
  return place.slice(0, place.indexOf('/'));
}
