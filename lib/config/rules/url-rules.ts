import type { Catalogue } from '../../catalogue/catalogue.js';
import { parsedUrl } from '../../net/parsed-url.js';
import { type Flaw, flawOfAddress, flawOfText } from './text-rules.js';

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

/** The form in which URLs are compared: scheme and host in lower case, no default port, no dot segments. */
export function normalTokenUrl(value: string): string {
  return new URL(value).href;
}

/** The same form, without a slash at the end. */
export function normalBaseUrl(value: string): string {
  const { origin, pathname } = new URL(value);
  return origin + pathname.replace(/\/+$/, '');
}

/** A `resource` of a token request. */
export function flawOfResource(value: unknown): Flaw {
  const flaw = flawOfText(value);
  if (flaw !== undefined) return flaw;
  return parsedUrl(String(value)) === undefined || String(value).includes('#')
    ? 'must be an absolute URI without a fragment (RFC 8707).'
    : undefined;
}
