import type { Catalogue } from '../../catalogue/catalogue.js';
import { parsedUrl } from '../../net/parsed-url.js';
import { isPlaceholderUrl } from '../../secrets/placeholder.js';
import { type Flaw, flawOfText } from '../../secrets/text-rules.js';

/** JavaScript writes these words into a text if a value is missing. */
const MISSING = /(^|\.)(undefined|null)(\.|$)/;

/** An https address without parts that are not allowed (S9). */
export function flawOfAddress(value: unknown, remedy: string): Flaw {
  const flaw = flawOfText(value, remedy);
  if (flaw !== undefined || typeof value !== 'string') return flaw;
  if (isPlaceholderUrl(value))
    return 'is still a placeholder. Replace it with the address that the provider gave you.';
  if (/^["'`]/.test(value)) return 'is in quotes. Remove them.';
  if (/\s/.test(value)) return 'holds white space. Remove it.';
  const url = parsedUrl(value);
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(value) || url === undefined)
    return 'is not a URL. Write it in full, starting with https://.';
  // The URL parser would use the first word of the path as the host.
  if (/^[^:]*:[\\/]{3}/.test(value) || /^\.|\.\./.test(url.hostname) || MISSING.test(url.hostname))
    return 'has no host, or half of one. Was it put together from a variable that is not set?';
  if (url.protocol !== 'https:')
    return 'is not https. The provider answers over https only; use its https address.';
  if (value.includes('\\')) return 'contains a backslash. Write it with forward slashes.';
  if (url.username !== '' || url.password !== '' || /^https:\/\/[^/?#]*@/i.test(value))
    return 'contains a user name or password. Remove it; credentials go into clientId and clientSecret.';
  if (value.includes('#')) return 'contains a fragment (#…). Remove it.';
  return undefined;
}

/** The path must end as in the provider's document (S4). A query is allowed. */
export function flawOfTokenUrl(value: unknown, of: string, catalogue: Catalogue): Flaw {
  const { tokenPath, tokenPathExample } = catalogue.entryOf(of);
  const ending = tokenPath === undefined ? 'of the token endpoint' : `that ends in ${tokenPathExample}`;
  const flaw = flawOfAddress(value, `Set it to the https address ${ending}.`);
  if (flaw !== undefined || typeof value !== 'string' || tokenPath === undefined) return flaw;
  const { pathname } = new URL(value);
  if (tokenPath.test(pathname)) return undefined;
  const expected = `the path of the ${of} token URL ends in ${tokenPathExample}`;
  const owner = ownerOfTokenPath(pathname, catalogue);
  if (owner === of) return `ends in a slash: ${expected}. Remove the slash.`;
  return owner === undefined
    ? `has the wrong path: ${expected}. Compare it with the address that the provider gave you.`
    : `is a token URL of ${owner}: ${expected}. Have the token URLs of ${of} and ${owner} been swapped?`;
}

/** Paths of requests are added to the base URL, so it cannot have a query or the path of a token URL. */
export function flawOfBaseUrl(value: unknown, catalogue: Catalogue): Flaw {
  const flaw = flawOfAddress(value, 'Set it to the https address of the API.');
  if (flaw !== undefined || typeof value !== 'string') return flaw;
  if (value.includes('?')) return 'contains a query (?…). Remove it; parameters belong to each request.';
  return ownerOfTokenPath(new URL(value).pathname, catalogue) === undefined
    ? undefined
    : 'is a token URL. The base URL is where authorized requests go; the token URL has its own setting.';
}

function ownerOfTokenPath(pathname: string, { interfaces, entryOf }: Catalogue): string | undefined {
  return interfaces.find((name) => entryOf(name).tokenPath?.test(pathname.replace(/\/+$/, '')));
}

/** The form in which base URLs are compared: as of any `URL`, without a slash at the end. */
export function normalBaseUrl(value: string): string {
  const { origin, pathname } = new URL(value);
  return origin + pathname.replace(/\/+$/, '');
}

export function flawOfResource(value: unknown): Flaw {
  const flaw = flawOfText(value);
  if (flaw !== undefined) return flaw;
  return parsedUrl(String(value)) === undefined || String(value).includes('#')
    ? 'must be an absolute URI without a fragment (RFC 8707).'
    : undefined;
}
