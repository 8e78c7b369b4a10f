import { issuerOf } from '../../catalogue/catalogue.js';
import { parsedUrl } from '../../net/parsed-url.js';
import { revealed } from '../../secrets/secret.js';
import { isPlaceholder, isPlaceholderUrl } from './placeholder.js';

/** What is wrong with a value and how to fix it, or undefined. It never contains the value. */
export type Flaw = string | undefined;

/** Includes no-break and zero-width characters, which a value may have after it was copied from a page. */
const EDGE_SPACE = /^[\s\u200b-\u200d\u2060\ufeff]|[\s\u200b-\u200d\u2060\ufeff]$/;

/** Includes half of a surrogate pair, which cannot be percent-encoded (S2). */
const CONTROL = /[\p{Cc}\p{Cs}]/u;

const SPACE = /\s/;

/** A second address after a comma, a semicolon or a bar. A query may hold a list of addresses. */
const SEVERAL_ADDRESSES = /^[^?]*[,;|][a-z][a-z\d+.-]*:\/\//i;

/** Letters, digits, hyphens and underscores. The URL parser writes names in other scripts as `xn--…`. */
const HOST_LABEL = /^[a-z\d_-]+$/;
const BEFORE_HOST = /^https:\/\/(?:[^/?#]*@)?/i;
const IPV4 = /^\d+(\.\d+){3}$/;

/** RFC 1035 section 2.3.4. */
const LONGEST_LABEL = 63;

/** JavaScript writes these words into a text if a value is missing. */
const MISSING = new Set(['undefined', 'null']);

/** The checks of every text: its type, that it is not empty, and that it has no invisible characters. */
export function flawOfText(value: unknown, remedy = 'Set it.'): Flaw {
  if (value === undefined) return `is missing. ${remedy}`;
  if (typeof value !== 'string') return `must be a string, not ${kindOf(value)}.`;
  if (value === '') return `is empty. ${remedy}`;
  if (value.trim() === '') return `contains nothing but white space. ${remedy}`;
  if (EDGE_SPACE.test(value)) return 'has white space or a line break around it. Remove that.';
  if (CONTROL.test(value)) return 'contains a control character. Copy it again, as plain text on one line.';
  return undefined;
}

/** @param provider the provider that gave the credential. Undefined for the built-in provider. */
export function flawOfCredential(value: unknown, remedy?: string, provider?: string): Flaw {
  const flaw = flawOfText(value, remedy);
  if (flaw !== undefined || typeof value !== 'string') return flaw;
  return isPlaceholder(value)
    ? `is still a placeholder. Replace it with the value that ${issuerOf({ provider })} gave you.`
    : undefined;
}

export function flawOfClientSecret(value: unknown, provider: string): Flaw {
  if (value !== undefined && typeof value !== 'string')
    return `must be a string, a Secret or a function that returns one, not ${kindOf(value)}.`;
  return flawOfCredential(value, 'Set it to the client secret of this environment.', provider);
}

/** An https address without parts that are not allowed (S9). */
export function flawOfAddress(value: unknown, remedy: string): Flaw {
  const flaw = flawOfText(value, remedy);
  if (flaw !== undefined || typeof value !== 'string') return flaw;
  if (isPlaceholderUrl(value))
    return 'is still a placeholder. Replace it with the address that the provider gave you.';
  if (/^["'`]/.test(value)) return 'is in quotes. Remove them.';
  if (SPACE.test(value)) return 'holds white space. Remove it.';
  if (SEVERAL_ADDRESSES.test(value)) return 'holds more than one address. Set one address.';
  const url = parsedUrl(value);
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(value) || url === undefined)
    return 'is not a URL. Write it in full, starting with https://.';
  // The URL parser would use the first word of the path as the host.
  if (/^[^:]*:[\\/]{3}/.test(value) || /^\.|\.\./.test(url.hostname))
    return 'has no host, or half of one. Was it put together from a variable that is empty?';
  const flawOfItsHost = flawOfHost(url, value);
  if (url.protocol === 'https:' && flawOfItsHost !== undefined) return flawOfItsHost;
  if (url.protocol !== 'https:')
    return 'is not https. The provider answers over https only; use its https address.';
  if (value.includes('\\')) return 'contains a backslash. Write it with forward slashes.';
  if (url.username !== '' || url.password !== '' || /^https:\/\/[^/?#]*@/i.test(value))
    return 'contains a user name or password. Remove it; credentials go into clientId and clientSecret.';
  if (value.includes('#')) return 'contains a fragment (#…). Remove it.';
  return undefined;
}

/** Checks the host and the port of a URL. The URL parser accepts hosts that no name server can resolve. */
function flawOfHost({ hostname, port }: URL, value: string): Flaw {
  if (port === '0')
    return 'has the port 0, on which no server can listen. Set the port of the server, or remove it.';
  // The URL parser has checked an IPv6 address in brackets.
  if (hostname.startsWith('[')) return undefined;
  // The URL parser reads `1.2.3` and `0x7f.1` as IP addresses, too.
  if (IPV4.test(hostname) && !value.replace(BEFORE_HOST, '').startsWith(hostname))
    return `has an IP address in an unusual form, which means ${hostname}. Write the address as four decimal numbers, or use a host name.`;
  const labels = hostname.replace(/\.$/, '').split('.');
  if (labels.some((label) => MISSING.has(label)))
    return 'has "undefined" or "null" in its host. Was it put together from a variable that is not set?';
  if (labels.some((label) => label.length > LONGEST_LABEL))
    return `has a part in its host that is longer than ${LONGEST_LABEL} characters. No host name has such a part.`;
  if (!labels.every((label) => HOST_LABEL.test(label)))
    return 'has a character in its host that no host name has, such as a comma, * or $. Write the host in full.';
  return undefined;
}

/** The kind of a value. The value itself is never shown. */
export function kindOf(value: unknown): string {
  // A `Secret` of a variable that is not set holds undefined.
  if (revealed(value) === undefined) return 'undefined';
  if (value === null) return 'null';
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
}

/** Two settings that exclude each other. */
export function flawOfTwo(other: string): string {
  return `is set together with ${other}. Keep only one of them.`;
}
