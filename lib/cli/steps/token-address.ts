import { parsedUrl } from '../../net/parsed-url.js';
import type { ConfiguredBaseUrl } from '../plan.js';

interface Place {
  readonly host: string;
  readonly segments: readonly string[];
}

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
  const place = placeOf(claim);
  const ownPlace = placeOf(own);
  if (place === undefined || ownPlace === undefined) return { kind: 'unknown' };
  const above = deepest(baseUrls.filter(({ url }) => isUnder(place, placeOf(url))));
  if (above.some(({ url }) => url === own) || isUnder(ownPlace, place)) return { kind: 'own' };
  if (above.length > 0) return { kind: 'other', by: 'path', owners: above };
  // The pair's own base URL is in neither of the next two lists: `own` was returned for one under the claim, and `elsewhere` is
  // returned for one on the same host.
  const below = baseUrls.filter(({ url }) => isUnder(placeOf(url), place));
  if (below.length > 0) return { kind: 'other', by: 'path', owners: below };
  if (place.host === ownPlace.host) return { kind: 'elsewhere' };
  const owners = baseUrls.filter(({ url }) => placeOf(url)?.host === place.host);
  return owners.length > 0 ? { kind: 'other', by: 'host', owners } : { kind: 'unknown' };
}

/**
 * Whether an issuer that seems to belong to other settings is only the issuer of the token URL: it has the same host and
 * no more, or the token URL lies under it, or the token URL lies under the same addresses. Such an issuer says nothing
 * about the API.
 */
export function isIssuerOfTokenUrl(iss: string, tokenUrl: string, verdict: AddressVerdict): boolean {
  const [place, asked] = [placeOf(iss), placeOf(tokenUrl)];
  if (verdict.kind !== 'other' || place === undefined || asked === undefined) return false;
  if (place.host !== asked.host) return false;
  return (
    verdict.by === 'host' ||
    isUnder(asked, place) ||
    verdict.owners.every(({ url }) => isUnder(asked, placeOf(url)))
  );
}

/** `api.example.com/v1` counts as an address too, because some providers omit the scheme. */
function placeOf(text: string): Place | undefined {
  const url = parsedUrl(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  return url && { host: url.host, segments: url.pathname.split('/').filter((segment) => segment !== '') };
}

function isUnder(place: Place | undefined, above: Place | undefined): boolean {
  return (
    place !== undefined &&
    above !== undefined &&
    place.host === above.host &&
    above.segments.every((segment, index) => segment === place.segments[index])
  );
}

/** The base URLs with the longest path: `/v1/easy` is more exact than `/v1`. */
function deepest(baseUrls: readonly ConfiguredBaseUrl[]): readonly ConfiguredBaseUrl[] {
  const depth = Math.max(...baseUrls.map(depthOf));
  return baseUrls.filter((one) => depthOf(one) === depth);
}

function depthOf({ url }: ConfiguredBaseUrl): number {
  return placeOf(url)?.segments.length ?? 0;
}
