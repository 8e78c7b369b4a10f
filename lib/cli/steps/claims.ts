import { isOfBuiltIn, pairName } from '../../catalogue/catalogue.js';
import { remedyOf } from '../../errors/troubles.js';
import { parsedUrl } from '../../net/parsed-url.js';
import { claimsOf } from '../../secrets/assertion-claims.js';
import type { ConfiguredBaseUrl } from '../plan.js';
import { harmlessFor, MOST_TEXTS } from '../server-text.js';
import type { Check, Step } from '../report.js';

/**
 * Shows three claims of the token. Fails if `aud` or `iss` lies under the base URL of another pair. The library itself
 * never reads a token (S3).
 */
export const claims: Step = {
  name: 'claims',
  run(check) {
    const payload = check.token && claimsOf(check.token);
    if (payload === undefined)
      return { status: 'ok', detail: 'the token is not a JWT, so it has no claims to read' };
    const shown = harmlessFor({ clientId: check.profile.clientId, secret: check.secret });
    const iss = typeof payload.iss === 'string' ? payload.iss : undefined;
    const aud = isAudience(payload.aud) ? [payload.aud].flat() : undefined;
    const facts = {
      iss: iss && shown(iss),
      aud: aud?.slice(0, MOST_TEXTS).map(shown),
      exp: isMoment(payload.exp) ? new Date(payload.exp * 1000).toISOString() : undefined,
    };
    const texts = Object.entries(facts).flatMap(([name, value]) =>
      value === undefined ? [] : `${name} ${[value].flat().join(' ')}`,
    );
    const detail = texts.join(', ') || 'the token has none of the claims iss, aud and exp';
    const { fault, isForOtherPath = false } = checkClaims(check, iss, aud ?? []);
    check.isForOtherPath = isForOtherPath;
    if (fault !== undefined)
      return {
        status: 'failed',
        detail: `the token is for another address: ${detail}`,
        code: 'OTHER_BASE_URL',
        advice: `${fault} ${remedyOf('refused-token', check.profile, 'baseUrl')}`,
        facts,
      };
    // A probe shows more than the claim.
    const isDoubtful = isForOtherPath && check.probe === undefined;
    const advice = isDoubtful
      ? `The path of ${check.profile.names.baseUrl} may be wrong: the aud of this token names another address on the same host. --probe <path> shows whether the API accepts the token.`
      : undefined;
    return { status: 'ok', detail, facts, advice };
  },
};

/** What is wrong, or may be wrong, with the address that the token is for. */
function checkClaims(
  { baseUrls, profile }: Check,
  iss: string | undefined,
  aud: readonly string[],
): { readonly fault?: string; readonly isForOtherPath?: boolean } {
  const { baseUrl, names, tokenUrl, terms = {} } = profile;
  const verdicts = aud.map((one) => checkAddress(one, baseUrl, baseUrls));
  // The definition of the provider may ask for an audience. Then this audience is right, wherever its address is.
  const wanted = [terms.audience, terms.resource].flat();
  const isForOwn = aud.some((one) => wanted.includes(one)) || verdicts.includes('own');
  const other = isForOwn ? undefined : verdicts.find(isOther);
  if (other !== undefined) return { fault: faultOf('aud', other, names.baseUrl) };
  const issuer = iss === undefined ? undefined : checkAddress(iss, baseUrl, baseUrls);
  if (iss !== undefined && isOther(issuer) && !isIssuerOfTokenUrl(iss, tokenUrl, issuer)) {
    // Several issuers may share a host. If the audience fits, the host of the issuer does not matter.
    if (issuer.where === 'under' || !isForOwn) return { fault: faultOf('iss', issuer, names.baseUrl) };
  }
  if (isForOwn || !verdicts.includes('elsewhere')) return {};
  // The built-in provider has an API for each pair. Of another provider, two pairs may share one, for two scopes.
  const twins = baseUrls.filter((one) => one.url === baseUrl && pairName(one) !== pairName(profile));
  if (!isOfBuiltIn(profile) || twins.length === 0) return { isForOtherPath: true };
  const same = `${names.baseUrl} is the same as ${listed(twins)}`;
  return { fault: `${same}, and the aud of this token names another address.` };
}

function faultOf(claim: 'aud' | 'iss', { where, owners }: OtherAddress, own: string): string {
  return `The ${claim} of this token lies ${where} ${listed(owners)}, not ${where} ${own}. Have they been swapped?`;
}

function listed(baseUrls: readonly ConfiguredBaseUrl[]): string {
  return baseUrls.map(({ variable }) => variable).join(' and ');
}

function isAudience(aud: unknown): aud is string | string[] {
  return typeof aud === 'string' || (Array.isArray(aud) && aud.every((one) => typeof one === 'string'));
}

function isMoment(exp: unknown): exp is number {
  return typeof exp === 'number' && !Number.isNaN(new Date(exp * 1000).getTime());
}

/** The address of other configured base URLs, by its path or only by its host. */
interface OtherAddress {
  readonly where: 'under' | 'on the host of';
  readonly owners: readonly ConfiguredBaseUrl[];
}

/**
 * How the address in a claim relates to the configured base URLs:
 * - `own`: the base URL of the pair, an address under it, or an address above it;
 * - `elsewhere`: an address on the host of the base URL, with another path;
 * - `unknown`: no address, or an address that belongs to no configured base URL.
 */
type AddressVerdict = 'own' | 'elsewhere' | 'unknown' | OtherAddress;

function isOther(verdict: AddressVerdict | undefined): verdict is OtherAddress {
  return typeof verdict === 'object';
}

/** Compares a claim with the configured base URLs. `own` is the base URL of the pair that the token belongs to. */
export function checkAddress(
  claim: string,
  own: string,
  baseUrls: readonly ConfiguredBaseUrl[],
): AddressVerdict {
  const [place, ownPlace] = [placeOf(claim), placeOf(own)];
  if (place === undefined || ownPlace === undefined) return 'unknown';
  const ownersOf = (isTheirs: (base: string) => boolean): ConfiguredBaseUrl[] =>
    baseUrls.filter(({ url }) => isTheirs(placeOf(url) ?? ''));
  const above = ownersOf((base) => place.startsWith(base));
  // `/v1/easy` is more exact than `/v1`.
  const lengthOf = ({ url }: ConfiguredBaseUrl): number => placeOf(url)?.length ?? 0;
  const longest = Math.max(...above.map(lengthOf));
  const nearest = above.filter((one) => lengthOf(one) === longest);
  if (nearest.some(({ url }) => url === own) || ownPlace.startsWith(place)) return 'own';
  const byPath = nearest.length > 0 ? nearest : ownersOf((base) => base.startsWith(place));
  if (byPath.length > 0) return { where: 'under', owners: byPath };
  if (hostOf(place) === hostOf(ownPlace)) return 'elsewhere';
  const byHost = ownersOf((base) => hostOf(base) === hostOf(place));
  return byHost.length > 0 ? { where: 'on the host of', owners: byHost } : 'unknown';
}

/**
 * Whether an issuer that seems to belong to other settings is only the issuer of the token URL: it has the same host and
 * no more, or the token URL lies under it, or the token URL lies under the same addresses. Such an issuer says nothing
 * about the API.
 */
export function isIssuerOfTokenUrl(iss: string, tokenUrl: string, { where, owners }: OtherAddress): boolean {
  const [place = '', asked = ''] = [placeOf(iss), placeOf(tokenUrl)];
  if (hostOf(place) !== hostOf(asked)) return false;
  return (
    where === 'on the host of' ||
    asked.startsWith(place) ||
    owners.every(({ url }) => asked.startsWith(placeOf(url) ?? ''))
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
